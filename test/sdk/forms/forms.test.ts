import { describe, expect, it } from 'vitest'
import type { DataCollection } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, leaveBoth, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const DATA: DataCollection = [
  {
    name: 'order',
    desc: 'Order',
    data: [
      {
        name: 'secret',
        desc: 'Secret',
        type: 'email',
        value: 'secret@example.org',
        visible: false,
        editable: true,
      },
      {
        name: 'mail',
        desc: 'E-mail',
        type: 'email',
        value: 'robin@example.org',
        visible: true,
        editable: true,
      },
      { name: 'nick', desc: 'Name', type: 'nickname', value: 'Robin', visible: true },
      { name: 'news', desc: 'News', type: 'checkbox', checked: false, editable: true },
    ],
  },
]
const filled = () => joined({ data: DATA })
const fieldOf = (data: DataCollection, name: string) => data[0]?.data.find((field) => field.name === name)

describe('contact data', () => {
  it('FORM-3 FORM-4 the visitor’s e-mail and nick are the first such fields that the agent may see; the others never reach the agent', async () => {
    const { visitor, agent } = await filled()
    expect(agent.data().visitor).toEqual({ id: 'visitor-1', nick: 'Robin', email: 'robin@example.org' })
    expect(agent.data().data[0]?.data.map(({ name }) => name)).toEqual(['mail', 'nick', 'news'])
    expect(visitor.data().data).toEqual(DATA)
  })

  it('FORM-6 an edit keeps the first value and the agent’s id, and both sides get datachange', async () => {
    const { visitor, agent } = await filled()
    const told = [record(visitor, 'datachange'), record(agent, 'datachange')]
    await agent.editData('order', 'mail', 'new@example.org')
    await agent.editData('order', 'mail', 'newer@example.org')
    await agent.editData('order', 'news', true)
    await settled()
    const edit = (field: string, value: unknown, original: unknown) => [
      'datachange',
      { form: 'order', field, value, original, user: 'agent-1' },
    ]
    const expected = [
      edit('mail', 'new@example.org', 'robin@example.org'),
      edit('mail', 'newer@example.org', 'robin@example.org'),
      edit('news', true, false),
    ]
    expect(told).toEqual([expected, expected])
    for (const contact of [visitor, agent]) {
      expect(fieldOf(contact.data().data, 'mail')).toMatchObject({
        value: 'newer@example.org',
        original: 'robin@example.org',
        editedBy: 'agent-1',
      })
      expect(fieldOf(contact.data().data, 'news')).toMatchObject({
        checked: true,
        original: false,
        editedBy: 'agent-1',
      })
    }
  })

  it('FORM-3 FORM-6 an edited e-mail or nickname is the visitor’s at once, on both sides; a nick that was given as such stays', async () => {
    const data: DataCollection = [
      {
        name: 'order',
        desc: 'Order',
        data: (DATA[0]?.data ?? []).map((field) => ({ ...field, editable: true })),
      },
    ]
    const { visitor, agent } = await joined({ data })
    await agent.editData('order', 'mail', 'new@example.org')
    await agent.editData('order', 'nick', 'Robin Reed')
    await settled()
    for (const contact of [visitor, agent])
      expect(contact.data().visitor).toEqual({
        id: 'visitor-1',
        nick: 'Robin Reed',
        email: 'new@example.org',
      })
    const named = await joined({ data, nick: 'Rob' })
    await named.agent.editData('order', 'nick', 'Robin Reed')
    await named.agent.editData('order', 'mail', null)
    await settled()
    for (const contact of [named.visitor, named.agent])
      expect(contact.data().visitor).toMatchObject({ nick: 'Rob' })
    expect(named.agent.data().visitor).not.toHaveProperty('email')
  })

  it('FORM-6 what changes nothing tells nobody; null empties a field', async () => {
    const { visitor, agent } = await filled()
    const told = record(visitor, 'datachange')
    await agent.editData('order', 'mail', 'robin@example.org')
    await agent.editData('order', 'mail', null)
    await settled()
    expect(told).toEqual([
      [
        'datachange',
        { form: 'order', field: 'mail', value: null, original: 'robin@example.org', user: 'agent-1' },
      ],
    ])
  })

  it('FORM-6 RES-1 a page that is loaded anew has the edited data', async () => {
    const { world, agent, pages, tab } = await filled()
    await agent.editData('order', 'mail', 'new@example.org')
    await pages.visitor.client.close()
    await agent.editData('order', 'news', true)
    const { contact } = await world.visitor({ tab }).client.resumeContact()
    await settled()
    expect(
      contact && [fieldOf(contact.data().data, 'mail')?.value, fieldOf(contact.data().data, 'news')?.checked],
    ).toEqual(['new@example.org', true])
  })

  it.each([
    ['a field that is not editable', ['order', 'nick', 'Kim'], 'forbidden'],
    ['a field that the agent may not see', ['order', 'secret', 'a@example.org'], 'not_found'],
    ['a field that is not there', ['order', 'colour', 'red'], 'not_found'],
    ['a form that is not there', ['orders', 'mail', 'a@example.org'], 'not_found'],
    ['a value of another type', ['order', 'mail', 'nobody'], 'invalid_argument'],
    ['a checkbox that is null', ['order', 'news', null], 'invalid_argument'],
    ['a value that is no JSON', ['order', 'mail', undefined as never], 'invalid_argument'],
    ['a number that JSON would make null of', ['order', 'mail', Number.NaN], 'invalid_argument'],
    ['no form', ['', 'mail', 'x'], 'invalid_argument'],
    ['a form of too long a name', ['x'.repeat(129), 'mail', 'x'], 'too_large'],
    ['a value over 8 KiB', ['order', 'mail', 'x'.repeat(9_000)], 'too_large'],
  ] as const)('FORM-5 %s is refused, and nothing changes', async (_what, [form, field, value], code) => {
    const { world, agent } = await filled()
    await expect(agent.editData(form, field, value)).rejects.toMatchObject({ name: 'ContactError', code })
    expect([agent.data().data, world.entries.includes('datachange')]).toEqual([
      [{ ...DATA[0], data: DATA[0]?.data.slice(1) }],
      false,
    ])
  })

  it('SND-308 FORM-1 forms and fields need no desc, a number may be text, and what the protocol does not know of a field is kept and passed on', async () => {
    const own = { ext_type: 'iban', secure: true, uhidden: false, hint: { de: ['Bitte', null] } }
    const data: DataCollection = [
      {
        name: 'order',
        data: [
          { name: 'watts', type: 'number', value: '12.5e0', editable: true, ...own },
          { name: 'secret', type: 'text', value: 'x', visible: false, ...own },
        ],
      },
    ]
    const { visitor, agent } = await joined({ data })
    expect([visitor.data().data, agent.data().data]).toEqual([
      data,
      [{ name: 'order', data: data[0]?.data.slice(0, 1) }],
    ])
    await agent.editData('order', 'watts', '-.5')
    await settled()
    const edited = { ...data[0]?.data[0], value: '-.5', original: '12.5e0', editedBy: 'agent-1' }
    for (const contact of [visitor, agent]) expect(fieldOf(contact.data().data, 'watts')).toEqual(edited)
    await expect(agent.editData('order', 'watts', '1e999')).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('SND-308 FORM-6 a visitor cannot say of a field what only an edit can', async () => {
    const { visitor, agent } = await joined({
      data: [
        {
          name: 'order',
          data: [{ name: 'mail', type: 'text', value: 'x', original: 'y', editedBy: 'agent-1', mine: 1 }],
        },
      ],
    })
    for (const contact of [visitor, agent])
      expect(contact.data().data).toEqual([
        { name: 'order', data: [{ name: 'mail', type: 'text', value: 'x', mine: 1 }] },
      ])
  })

  it.each([
    [
      '16 members and 2 KiB',
      {
        ...Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`m${index}`, 1])),
        long: 'x'.repeat(1_800),
      },
      null,
    ],
    [
      '17 members',
      Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`m${index}`, 1])),
      'invalid_argument',
    ],
    ['over 2 KiB', { long: 'x'.repeat(2_048) }, 'invalid_argument'],
    ['a member that reaches a prototype', JSON.parse('{"__proto__":1}') as object, 'invalid_argument'],
    [
      'a member nested too deep',
      { deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) as never },
      'invalid_argument',
    ],
  ])('SND-308 SRV-7 of a field, %s of the application: %s', async (_what, own, code) => {
    const { client } = new World().visitor()
    const contact = watch(
      client.createContact({ data: [{ name: 'order', data: [{ name: 'field', type: 'text', ...own }] }] }),
    )
    await settled()
    expect(contact.result).toMatchObject(code === null ? { value: {} } : { code })
  })

  it.each([
    [
      { desc: 'Age', type: 'number', value: Number.NaN },
      'unable to create the contact; an argument cannot be read',
    ],
    [
      { desc: 'Phone', type: 'phone', value: '390' },
      'unable to accept contact.create; contact.data.0.data.0 must be an E.164 phone number',
    ],
    [
      { desc: 'x', value: 'x' } as never,
      'unable to accept contact.create; contact.data.0.data.0.type is missing',
    ],
    [
      { type: 'number', value: '12 lamps' },
      'unable to accept contact.create; contact.data.0.data.0 must be a number, or one as text',
    ],
  ] as const)('FORM-2 ERR-1 a contact whose field is %o is refused: %s', async (field, message) => {
    const { client } = new World().visitor()
    const data: DataCollection = [{ name: 'order', desc: 'Order', data: [{ name: 'field', ...field }] }]
    await expect(client.createContact({ data })).rejects.toMatchObject({ code: 'invalid_argument', message })
  })

  it('FORM-5 the visitor may not edit, nor may an agent who has not joined or has left; a callback is told', async () => {
    const pair = await filled()
    const codes: (string | undefined)[] = []
    await pair.visitor.editData('order', 'mail', 'x@example.org', (error) => void codes.push(error?.code))
    await pair.agent.editData('order', 'mail', 'x@example.org', (error) => void codes.push(error?.code))
    await leaveBoth(pair)
    await pair.agent.editData('order', 'mail', 'x@example.org', (error) => void codes.push(error?.code))
    const world = new World()
    const visitor = await world.visitor().client.createContact({ data: DATA })
    const agent = await world.agent().client.accept(visitor.id)
    await agent.editData('order', 'mail', 'x@example.org', (error) => void codes.push(error?.code))
    expect(codes).toEqual(['forbidden', undefined, 'left', 'not_joined'])
  })

  it('FORM-6 LIFE-19 an edit that waits when the connection goes is settled', async () => {
    const { agent, link } = await filled()
    link.lose({ slot: 'agent', name: 'agent.edit' })
    const edit = watch(agent.editData('order', 'mail', 'x@example.org'))
    await settled()
    expect(edit.result).toEqual({ code: 'offline' })
  })

  it('FORM-7 the helper is an operation as well', async () => {
    const { visitor } = await filled()
    const fields = [
      { id: 'plan', desc: 'Plan', type: 'text', autofill: { from: 'constant', value: 'gold' } },
    ] as const
    expect(visitor.dataCollectionDefaultConstantToObject({ id: 'order', desc: 'Order', fields })).toEqual([
      {
        name: 'order',
        desc: 'Order',
        data: [{ name: 'plan', desc: 'Plan', type: 'text', value: 'gold', visible: true, editable: false }],
      },
    ])
  })
})
