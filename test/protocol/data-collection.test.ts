import { describe, expect, it } from 'vitest'
import {
  dataCollectionDefaultConstantToObject,
  fieldFault,
  isCallName,
  parseCall,
} from '../../protocol/index.ts'
import type { DataDefinition, DataField, FieldType } from '../../protocol/index.ts'

const GOOD: Readonly<Record<FieldType, readonly unknown[]>> = {
  checkbox: [true, false],
  date: [
    '2026-11-21',
    '2024-02-29',
    '2026-11-21T09:30',
    '2026-11-21T09:30:15.250Z',
    '2026-11-21T09:30:15+01:00',
    '2016-12-31T23:59:60Z',
  ],
  email: ['robin@example.org', 'r.o+tag@mail.example.co.uk', "o'neil@example.org", 'a@b'],
  link: ['http://example.org', 'https://example.org/a?b=c#d'],
  number: [0, -1.5, 1e21, '1', '-0.50', '+.5', '12.', '1e21', `${'9'.repeat(40)}.${'9'.repeat(40)}`],
  phone: ['+390000000000', '+11234567890'],
  text: ['', 'any', 'ünï\ncode', 'x'.repeat(8_192)],
  nickname: ['Robin', 'Ж'.repeat(64)],
}
const BAD: Readonly<Record<FieldType, readonly unknown[]>> = {
  checkbox: ['true', 1, null, undefined],
  date: [
    '21.11.2026',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-11-21T24:00',
    '2026-11-21T09:60',
    '20261121',
    '2026-11-21 09:30',
    1,
  ],
  email: [
    'robin',
    '@example.org',
    'robin@',
    'a b@example.org',
    'a@b@c d',
    'a@-b.org',
    'a@b..org',
    `${'x'.repeat(65)}@example.org`,
    'a@b\n',
    1,
  ],
  link: [
    'ftp://example.org',
    'javascript:alert(1)',
    'example.org',
    'https://u:p@example.org',
    `https://example.org/${'x'.repeat(2_048)}`,
  ],
  number: [
    '1 ',
    '1,5',
    '0x1',
    '.',
    'e1',
    '1e999',
    'NaN',
    'Infinity',
    '9'.repeat(41),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
  ],
  phone: ['390000000000', '+0123', '+39 000', '+1234567890123456', '+', 39],
  text: [1, {}, ['x'], 'x'.repeat(8_193)],
  nickname: [1, 'x'.repeat(65)],
}
const types = Object.keys(GOOD) as FieldType[]

const create = (field: Partial<DataField>) =>
  parseCall('contact.create', {
    request: 'r',
    contact: { data: [{ name: 'f', desc: '', data: [{ name: 'x', desc: '', type: 'text', ...field }] }] },
  })

describe('form fields', () => {
  it.each(types)(
    'FORM-2 a field of the type %s takes the values of its format and refuses all others',
    (type) => {
      expect(GOOD[type].map((value) => fieldFault(type, value))).toEqual(GOOD[type].map(() => null))
      expect(BAD[type].filter((value) => fieldFault(type, value) === null)).toEqual([])
    },
  )

  it('FORM-2 every type but checkbox may be empty', () => {
    for (const type of types.filter((each) => each !== 'checkbox'))
      expect([undefined, null, ''].map((value) => fieldFault(type, value))).toEqual([null, null, null])
  })

  it('FORM-2 a hostile text is judged at once', () => {
    const texts = [
      '@'.repeat(65_536),
      `${'a.'.repeat(32_768)}@${'b.'.repeat(32_768)}`,
      `+${'1'.repeat(65_536)}`,
      '2026-11-21T'.repeat(6_000),
    ]
    const start = performance.now()
    for (const type of types) for (const text of texts) fieldFault(type, text)
    expect(performance.now() - start).toBeLessThan(500)
  })

  it('FORM-2 the wire takes what fits, a checkbox by its checked, and drops what only an edit may add', () => {
    expect(isCallName('agent.edit')).toBe(true)
    expect(create({ type: 'phone', value: '+390000000000' })).toMatchObject({
      contact: { data: [{ data: [{ value: '+390000000000' }] }] },
    })
    expect(create({ type: 'checkbox', checked: true })).toMatchObject({
      contact: { data: [{ data: [{ checked: true }] }] },
    })
    expect(create({ original: 1, editedBy: 'mallory' }).contact.data?.[0]?.data).toEqual([
      { name: 'x', desc: '', type: 'text' },
    ])
    for (const bad of [
      { type: 'phone', value: '12' },
      { type: 'checkbox', checked: 'yes' as never },
      { type: 'colour' as never },
    ] as const)
      expect(() => create(bad)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})

describe('dataCollectionDefaultConstantToObject', () => {
  const fields = [
    { id: 'plan', desc: 'Plan', type: 'text', autofill: { from: 'constant', value: 'gold' } },
    { id: 'email', desc: 'E-mail', type: 'email' },
    { id: 'page', desc: 'Page', type: 'link', autofill: { from: 'page', value: 'https://example.org' } },
    { id: 'news', desc: 'News', type: 'checkbox', autofill: { from: 'constant', value: true } },
    { id: 'none', desc: 'None', type: 'number', autofill: { from: 'constant' } },
  ] as const satisfies DataDefinition['fields']

  it('FORM-7 gives just the fields filled from a constant, in order, visible and not editable', () => {
    expect(dataCollectionDefaultConstantToObject({ id: 'order', desc: 'Order', fields })).toEqual([
      {
        name: 'order',
        desc: 'Order',
        data: [
          { name: 'plan', desc: 'Plan', type: 'text', value: 'gold', visible: true, editable: false },
          { name: 'news', desc: 'News', type: 'checkbox', checked: true, visible: true, editable: false },
          { name: 'none', desc: 'None', type: 'number', value: null, visible: true, editable: false },
        ],
      },
    ])
  })

  it('FORM-7 gives an empty collection where there is none, and invalid_argument for what is no definition', () => {
    expect(
      dataCollectionDefaultConstantToObject({ id: 'order', desc: 'Order', fields: fields.slice(1, 3) }),
    ).toEqual([])
    for (const bad of [undefined, null, {}, { id: 'x' }, { id: 1, fields: [] }, { id: 'x', fields: [null] }])
      expect(() => dataCollectionDefaultConstantToObject(bad as never)).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
      )
  })
})
