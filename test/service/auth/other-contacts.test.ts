import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomName } from '../../../sdk/values/random-id.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const adminToken = 'an administration token'
const lines: string[] = []
let test: TestService

beforeAll(async () => {
  test = await startTestService(
    { adminToken },
    {
      report: {
        info: (...line) => lines.push(JSON.stringify(line)),
        warn: (...line) => lines.push(JSON.stringify(line)),
        debug: (...line) => lines.push(JSON.stringify(line)),
        fault: (thrown) => lines.push(String(thrown)),
      },
    },
  )
})
afterAll(() => test.close())

describe('contacts of others', () => {
  it('SRV-4 whatever is tried with one of another visitor, the answer is that to one that is not there', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    const { session } = visitor
    const other = await queueVisitor(test)
    const seen = (): number => visitor.client.entries(id).length + agent.client.entries(id).length
    const before = seen()
    const calls = (contact: string): readonly (readonly [string, object])[] => [
      ['contact.open', { contact, session: session.id, cursor: 0 }],
      ['contact.leave', { contact, session: session.id }],
      [
        'log.append',
        {
          contact,
          session: session.id,
          drafts: [{ id: 'm', session: session.id, counter: 2, type: 'text', body: { text: 'x' } }],
        },
      ],
      ['log.read', { contact, after: 0, limit: 10 }],
      [
        'relay.send',
        {
          contact,
          session: session.id,
          to: agent.session.id,
          frame: { n: 1, ack: 0, kind: 'rpc', body: {} },
        },
      ],
      [
        'attachment.open',
        { contact, session: session.id, request: 'r', name: 'a.txt', mimetype: 'text/plain', size: 1 },
      ],
      ['attachment.url', { contact, id: 'f-x' }],
    ]
    const strange = 'c-AAAAAAAAAAAAAAAAAAAAAA'
    for (const [index, [name, args]] of calls(id).entries()) {
      const reply = JSON.stringify(await other.client.ask(name, args)).replaceAll(id, strange)
      expect(reply).toMatch(/"(not_found|not_joined)"/)
      expect(reply).toBe(JSON.stringify(await other.client.ask(name, calls(strange)[index]?.[1])))
    }
    expect(await visitor.client.call('contact.read', { contact: id })).toMatchObject({
      record: { state: 'joined', transcript: { messages: 0 } },
    })
    expect(seen()).toBe(before)
  })

  it('SRV-5 what belongs to agents is forbidden to the visitor of the very contact, and changes nothing', async () => {
    const { id, visitor } = await joinBoth(test)
    const calls: readonly (readonly [string, object])[] = [
      ['agent.transfer', { contact: id, toTags: ['x'] }],
      ['agent.edit', { contact: id, form: 'f', field: 'x', value: 'y' }],
      ['agent.decline', { contact: id }],
      ['agent.accept', { contact: id, force: true }],
    ]
    for (const [name, args] of calls)
      expect(await visitor.client.ask(name, args)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    expect((await visitor.client.call('contact.read', { contact: id })).record.state).toBe('joined')
  })

  it('SRV-4 a contact that is over cannot be entered again by a new session', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    await agent.session.leave()
    await visitor.client.entry(id, 'cleared')
    for (const { client } of [visitor, agent])
      expect(await client.ask('contact.open', { contact: id, session: 's-new', cursor: 0 })).toMatchObject({
        ok: false,
        error: { code: 'left' },
      })
    expect(
      await visitor.client.ask('attachment.open', {
        contact: id,
        session: visitor.session.id,
        request: 'r',
        name: 'a',
        mimetype: 'a/b',
        size: 1,
      }),
    ).toMatchObject({
      ok: false,
      error: { code: 'left' },
    })
  })

  it('SEC-10 the SDK makes session ids of 128 bits, each of them by chance', () => {
    const ids = Array.from({ length: 200 }, () => BigInt(`0x${randomName()}`))
    const [all, none] = [ids.reduce((bits, id) => bits | id), ids.reduce((bits, id) => bits & id)]
    expect([all, none, new Set(ids).size]).toEqual([2n ** 128n - 1n, 0n, 200])
  })

  it('SEC-10 the id of a session opens nothing: neither for another visitor, nor for another agent', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    const [stranger, colleague] = [await test.visitor(), await test.agent()]
    for (const session of [visitor.session.id, agent.session.id]) {
      expect(await stranger.ask('contact.open', { contact: id, session, cursor: 0 })).toMatchObject({
        ok: false,
        error: { code: 'not_found' },
      })
      expect(await colleague.ask('contact.open', { contact: id, session, cursor: 0 })).toMatchObject({
        ok: false,
        error: { code: 'not_assigned' },
      })
      for (const client of [stranger, colleague])
        expect(
          await client.ask('relay.send', {
            contact: id,
            session,
            to: agent.session.id,
            frame: { n: 1, ack: 0, kind: 'rpc' },
          }),
        ).toMatchObject({ error: { code: 'not_joined' } })
    }
    expect(
      await visitor.client.ask('contact.open', { contact: id, session: agent.session.id, cursor: 0 }),
    ).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })
})
