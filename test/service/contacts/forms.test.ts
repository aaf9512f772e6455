import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DataField } from '../../../protocol/index.ts'
import { recordFaults } from '../../support/data-schemas.ts'
import { joinAgent, joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const field = (name: string, more: Partial<DataField>): DataField => ({
  name,
  desc: name,
  type: 'email',
  value: `${name}@example.org`,
  visible: true,
  editable: true,
  ...more,
})
const DATA = [
  {
    name: 'f',
    desc: 'F',
    data: [
      field('secret', { visible: false }),
      field('open', {}),
      field('fixed', { editable: false }),
      field('news', { type: 'checkbox', checked: false }),
    ],
  },
]
const edit = (contact: string, name: string, value: unknown) => ({ contact, form: 'f', field: name, value })

describe('forms', () => {
  it('FORM-1 FORM-5 FORM-6 an edit is stored with the first value and the agent, told to both parties, and read by both; the record fits the published schemas', async () => {
    const { id, visitor, agent } = await joinBoth(test, { data: DATA })
    await agent.client.call('agent.edit', edit(id, 'open', 'new@example.org') as never)
    await agent.client.call('agent.edit', edit(id, 'open', 'newer@example.org') as never)
    await agent.client.call('agent.edit', edit(id, 'news', true) as never)
    for (const { client } of [visitor, agent]) {
      expect((await client.entry(id, 'datachange')).body).toMatchObject({
        form: 'f',
        field: 'open',
        value: 'new@example.org',
        original: 'open@example.org',
      })
      const { record } = await client.call('contact.read', { contact: id })
      const fields = Object.fromEntries((record.data[0]?.data ?? []).map((each) => [each.name, each]))
      expect([fields['open'], fields['news']]).toMatchObject([
        { value: 'newer@example.org', original: 'open@example.org' },
        { checked: true, original: false },
      ])
      expect([record.visitor.email, recordFaults(record)]).toEqual(['newer@example.org', []])
    }
    const { entries } = await agent.client.call('log.read', { contact: id, after: 0, limit: 100 })
    expect(entries.filter(({ type }) => type === 'datachange').length).toBe(3)
  })

  it('FORM-4 FORM-5 what may not be edited is refused, and nothing of a hidden field reaches the agent', async () => {
    const { id, visitor, agent } = await joinBoth(test, { data: DATA })
    const codeOf = async (name: string, value: unknown, client = agent.client): Promise<unknown> => {
      const reply = await client.ask('agent.edit', edit(id, name, value))
      return reply.ok ? null : reply.error.code
    }
    expect(
      await Promise.all([
        codeOf('fixed', 'x@example.org'),
        codeOf('secret', 'x@example.org'),
        codeOf('other', 'x'),
        codeOf('open', 'nobody'),
        codeOf('news', 'yes'),
      ]),
    ).toEqual(['forbidden', 'not_found', 'not_found', 'invalid_argument', 'invalid_argument'])
    expect([
      await codeOf('open', 'x@example.org', visitor.client),
      await codeOf('open', 'x@example.org', await test.agent('Bea')),
    ]).toEqual(['forbidden', 'not_assigned'])
    const { entries } = await agent.client.call('log.read', { contact: id, after: 0, limit: 100 })
    const seen = JSON.stringify([
      entries,
      agent.client.pushes,
      await agent.client.call('contact.read', { contact: id }),
      await agent.client.call('agent.contacts', {}),
    ])
    expect([seen.includes('secret'), entries.some(({ type }) => type === 'datachange')]).toEqual([
      false,
      false,
    ])
  })

  it('SND-306 FORM-5 edits keep the bound of the whole collection: one that goes beyond it is `too_large`, and changes nothing', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`)
    const data = [
      { name: 'f', desc: 'F', data: names.map((name) => field(name, { type: 'text', value: '' })) },
    ]
    const { id, visitor, agent } = await joinBoth(test, { data })
    const codes: unknown[] = []
    for (const name of names) {
      const reply = await agent.client.ask('agent.edit', edit(id, name, 'ü'.repeat(4_000)) as never)
      codes.push(reply.ok ? 'ok' : reply.error.code)
    }
    const taken = codes.indexOf('too_large')
    expect([taken > 10, new Set(codes.slice(taken))]).toEqual([true, new Set(['too_large'])])
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect(Buffer.byteLength(JSON.stringify(record.data))).toBeLessThan(131_072)
    expect(record.data[0]?.data.filter(({ value }) => value !== '').length).toBe(taken)
    expect(await agent.client.ask('agent.edit', edit(id, 'n0', 'short') as never)).toMatchObject({ ok: true })
  })

  it('FORM-5 an agent edits after joining only', async () => {
    const { id } = await queueVisitor(test, { data: DATA })
    const client = await test.agent('Cleo')
    await client.call('agent.presence', { state: 'ready', capacity: 100 })
    await client.push('agent.distribution', (offer) => offer.id === id)
    await client.call('agent.accept', { contact: id })
    expect(await client.ask('agent.edit', edit(id, 'open', 'x@example.org'))).toMatchObject({
      ok: false,
      error: { code: 'not_joined' },
    })
    await client.call('agent.decline', { contact: id })
    await joinAgent(test, id, 'Dora')
  })

  it('FORM-2 a contact with a value that does not fit its type is not created', async () => {
    const client = await test.visitor()
    const data = [{ name: 'f', desc: 'F', data: [field('open', { value: 'nobody' })] }]
    expect(await client.ask('contact.create', { request: 'r1', contact: { data } })).toMatchObject({
      ok: false,
      error: { code: 'invalid_argument' },
    })
  })

  it('SND-308 FORM-1 what the protocol does not know of a field comes to the agent and back, without desc and with numbers as text; the record fits the published schemas', async () => {
    const own = { ext_type: 'iban', secure: true, uhidden: { since: [1, null] } }
    const data = [
      {
        name: 'f',
        data: [
          { name: 'open', type: 'number', value: '12.50', editable: true, ...own },
          { name: 'hidden', type: 'text', value: 'x', visible: false, secret: 1 },
        ],
      },
    ] as const
    const { id, visitor, agent } = await joinBoth(test, { data })
    await agent.client.call('agent.edit', edit(id, 'open', '13') as never)
    for (const { client } of [visitor, agent]) {
      const { record } = await client.call('contact.read', { contact: id })
      expect(record.data[0]?.data[0]).toMatchObject({ value: '13', original: '12.50', ...own })
      expect([
        record.data[0]?.data.length,
        JSON.stringify(record).includes('secret"'),
        recordFaults(record),
      ]).toEqual(client === visitor.client ? [2, true, []] : [1, false, []])
    }
  })

  it('SND-308 MSG-4 arguments of an action that are any JSON come to the other side as they are', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    const args = [{ lamp: { oak: [1, 2.5, null] } }, 'text', 7, false, null, []]
    await visitor.session.write({ id: 'a-1', type: 'action', body: { code: 'Show', args } })
    expect((await agent.client.entry(id, 'action')).body).toEqual({ code: 'Show', args })
  })
})
