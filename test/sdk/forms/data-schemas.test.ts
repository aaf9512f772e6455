import { beforeAll, describe, expect, it } from 'vitest'
import { dataSchemas } from '../../../scripts/data-schemas.mjs'
import type { Contact, ContactData, DataCollection, DataField } from '../../../sdk/index.ts'
import { START, joined, offering, required } from '../../support/contacts.ts'
import { published, recordFaults, schemas } from '../../support/data-schemas.ts'
import { wholeLife } from '../../support/whole-life.ts'

const GOOD: readonly DataField[] = [
  { name: 'news', desc: 'News', type: 'checkbox', checked: true, visible: true, editable: true },
  { name: 'since', desc: 'Customer since', type: 'date', value: '2024-02-29T09:30:15+01:00' },
  { name: 'mail', desc: 'E-mail', type: 'email', value: 'robin@example.org', editable: true },
  { name: 'page', desc: 'Page', type: 'link', value: 'HTTPS://example.org/a?b=c#d' },
  { name: 'orders', desc: 'Orders', type: 'number', value: 12.5 },
  { name: 'phone', desc: 'Phone', type: 'phone', value: '+390000000000', editable: true },
  { name: 'note', desc: 'Note', type: 'text', value: '' },
  { name: 'nick', desc: 'Name', type: 'nickname', value: 'Robin' },
  { name: 'empty', desc: 'Empty', type: 'number' },
  { name: 'weight', type: 'number', value: '-12.5e3', ext_type: 'kg', secure: true, uhidden: { since: [1] } },
]
const DATA: DataCollection = [{ name: 'order', desc: 'Order', data: GOOD }]

let record: ContactData
beforeAll(async () => {
  const { visitor } = await joined({ data: DATA, tags: ['lamps'], lang: 'en' })
  record = visitor.data()
})

describe('the published JSON Schemas', () => {
  it('FORM-1 are what `npm run schemas` would write', async () => {
    const made = await dataSchemas()
    for (const [name, schema] of Object.entries(made)) expect(published(name)).toEqual(schema)
    expect(Object.keys(made)).toEqual(['contact-data', 'visit-data', 'data-collection'])
  })

  it('FORM-1 hold for the record at every moment of a contact, on both sides, at once after each event', async () => {
    const seen: ContactData[] = []
    const look = (contact: Contact): void => {
      seen.push(contact.data())
      for (const event of [
        'assigned',
        'joined',
        'datachange',
        'mediachange',
        'localtext',
        'text',
        'transferred',
        'left',
        'localleft',
        'cleared',
      ] as const)
        contact.on(event, () => void seen.push(contact.data()))
    }
    const edits = [
      ['phone', '+391111111111'],
      ['news', false],
      ['mail', null],
    ] as const
    const visitor = await wholeLife(look, {
      data: DATA,
      lang: 'en',
      tags: ['lamps'],
      initialOffer: offering({ Voice: required }),
      edits,
    })
    expect(seen.flatMap(recordFaults)).toEqual([])
    expect([...new Set(seen.map(({ state }) => state))].toSorted()).toEqual([
      'assigned',
      'cleared',
      'joined',
      'queued',
    ])
    expect(visitor.data()).toMatchObject({
      reason: 'user',
      tags: ['lamps'],
      transferredFrom: expect.any(String),
    })
  })

  it('FORM-1 every property that is there may be wrong, and is then found', () => {
    const wrong: Readonly<Record<keyof ContactData, unknown>> = {
      id: '',
      state: 'waiting',
      created: 1,
      visit: { page: { url: 'https://example.org' } },
      visitor: {},
      agent: { user: 'agent-1' },
      tags: 'lamps',
      data: {},
      initialOffer: { Voice: { tx: true, rx: 'off' } },
      mediaState: { ...START, Voice: { tx: 'yes', rx: true } },
      secure: 0,
      later: 'unattended',
      transcript: { messages: -1 },
      transferredFrom: 'a b',
      channels: { total: 1.5 },
      files: { maxFileSize: 'many', types: [] },
      telephone: 'yes',
      reason: 'bored',
    }
    expect(recordFaults(record)).toEqual([])
    for (const [name, value] of Object.entries(wrong))
      expect([name, schemas.record({ ...record, [name]: value })]).toEqual([name, false])
    for (const name of [
      'id',
      'state',
      'created',
      'visit',
      'visitor',
      'tags',
      'data',
      'mediaState',
      'secure',
      'transcript',
      'channels',
    ])
      expect([name, schemas.record({ ...record, [name]: undefined })]).toEqual([name, false])
  })

  it('FORM-1 FORM-2 a value that is none of its field’s type is found, and every property of the type is described', () => {
    const bad: readonly Partial<DataField>[] = [
      { type: 'checkbox', checked: 'yes' as never },
      { type: 'date', value: '21.11.2026' },
      { type: 'email', value: 'robin' },
      { type: 'link', value: 'ftp://example.org' },
      { type: 'number', value: '1,5' },
      { type: 'number', value: '1x' },
      { type: 'phone', value: '390000000000' },
      { type: 'text', value: 1 },
      { type: 'nickname', value: 'x'.repeat(65) },
      { type: 'colour' as never },
      { type: 'text', editedBy: 1 as never },
      { type: 'phone', original: '12' },
    ]
    const collection = (field: Partial<DataField>) => [
      { name: 'f', desc: '', data: [{ name: 'x', desc: '', ...field }] },
    ]
    for (const field of GOOD) expect([field, schemas.collection(collection(field))]).toEqual([field, true])
    for (const field of bad) expect([field, schemas.collection(collection(field))]).toEqual([field, false])
    for (const visit of [{ lang: 1 }, { page: 'https://example.org' }, { referrer: null }])
      expect(schemas.visit(visit)).toBe(false)
    expect(Object.keys(published('visit-data')['properties'] as object)).toEqual([
      'page',
      'referrer',
      'userAgent',
      'lang',
    ])
  })
})
