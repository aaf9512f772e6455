import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinAgent, joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({ origins: ['https://shop.example'] })
})
afterAll(() => test.close())
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${test.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** A good token, cut into its parts. */

describe('what a party may do', () => {
  const contactCalls = (contact: string): readonly [string, object][] => [
    ['contact.open', { contact, session: 's', cursor: 0 }],
    ['contact.read', { contact }],
    ['contact.leave', { contact, session: 's' }],
    ['log.read', { contact, after: 0, limit: 10 }],
  ]

  it("SRV-4 another visitor's contact does not exist", async () => {
    const { id } = await queueVisitor(test)
    const other = await test.visitor()
    const strange = 'c-AAAAAAAAAAAAAAAAAAAAAA'
    for (const [index, [name, args]] of contactCalls(id).entries()) {
      const reply = JSON.stringify(await other.ask(name, args)).replaceAll(id, strange)
      expect(reply).toContain('"not_found"')
      expect(reply).toBe(JSON.stringify(await other.ask(name, contactCalls(strange)[index]?.[1])))
    }
  })

  it('SRV-5 an agent cannot use a contact that is not assigned to them', async () => {
    const { id } = await joinBoth(test)
    const other = await test.agent()
    for (const [name, args] of contactCalls(id))
      expect(await other.ask(name, args)).toMatchObject({ ok: false, error: { code: 'not_assigned' } })
    expect(await other.ask('agent.accept', { contact: id })).toMatchObject({
      ok: false,
      error: { code: 'not_assigned' },
    })
  })

  it('SRV-5 calls of the other role are forbidden', async () => {
    const { client, id } = await queueVisitor(test)
    const agent = await test.agent()
    for (const [name, args] of [
      ['agent.accept', { contact: id }],
      ['agent.decline', { contact: id }],
      ['agent.contacts', {}],
      ['agent.presence', { state: 'ready' }],
    ] as const) {
      expect(await client.ask(name, args)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    }
    expect(await agent.ask('contact.create', { request: 'r', contact: {} })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    })
  })

  it('SRV-5 a contact that was not offered can be taken by force, with the right to it', async () => {
    const { client, id } = await queueVisitor(test)
    const agentWith = async (rights: readonly string[]) => {
      const response = await post('/v1/dev/agents', { nick: `Forcing ${rights.length}`, rights })
      const { token } = (await response.json()) as { token: string }
      return WireClient.connect(test.url, token)
    }
    const [without, having] = [await agentWith([]), await agentWith(['join:force'])]
    expect(await without.ask('agent.accept', { contact: id, force: true })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    })
    expect(await having.ask('agent.accept', { contact: id })).toMatchObject({
      ok: false,
      error: { code: 'not_assigned' },
    })
    expect((await client.call('contact.read', { contact: id })).record.state).toBe('queued')
    expect(await having.ask('agent.accept', { contact: id, force: true })).toMatchObject({
      ok: true,
      value: { record: { id, state: 'assigned' } },
    })
    const { id: other } = await joinBoth(test)
    expect(await having.ask('agent.accept', { contact: other, force: true })).toMatchObject({
      ok: false,
      error: { code: 'not_assigned' },
    })
    without.close()
    having.close()
  })

  it('SRV-5 a session belongs to the party that announced it', async () => {
    const { id, visitor, agent } = await joinBoth(test)
    await expect(new WireSession(agent.client, id, visitor.session.id).open()).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('FORM-4 fields that are not visible never reach the agent', async () => {
    const field = (name: string, visible: boolean) =>
      ({ name, desc: name, type: 'email', value: `${name}@example.com`, visible, editable: false }) as const
    const { id } = await queueVisitor(test, {
      data: [{ name: 'f', desc: 'F', data: [field('secret', false), field('open', true)] }],
    })
    const agent = await joinAgent(test, id)
    const { record } = await agent.client.call('contact.read', { contact: id })
    expect(record.visitor.email).toBe('open@example.com')
    expect(
      JSON.stringify([record, agent.client.pushes, await agent.client.call('agent.contacts', {})]),
    ).not.toContain('secret')
  })

  it('SRV-6 events that are not calls are ignored and hurt nobody', async () => {
    const client = await test.visitor()
    for (const name of ['join', 'message', '__proto__', 'constructor', 'toString'])
      client.socket.emit(name, {}, () => {})
    client.socket.emit('contact.read', {})
    client.socket.emit('contact.read')
    client.socket.emit('contact.read', {}, {}, () => {})
    expect(await client.ask('contact.read', { contact: 'c-x' })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    })
  })

  it.each([
    [null],
    ['text'],
    [42],
    [[]],
    [{ contact: 7 }],
    [{ contact: 'x', session: 's', cursor: -1 }],
    [JSON.parse('{"contact":"x","__proto__":{"a":1}}')],
  ])('SRV-6 malformed arguments %j get a code', async (args) => {
    const client = await test.visitor()
    expect(await client.ask('contact.open', args)).toMatchObject({
      ok: false,
      error: { code: 'invalid_argument' },
    })
  })

  it('LIFE-1 creating again with the same request gives the same contact', async () => {
    const client = await test.visitor()
    const request = randomUUID()
    const first = await client.call('contact.create', { request, contact: { nick: 'V' } })
    expect(await client.call('contact.create', { request, contact: { nick: 'V' } })).toEqual(first)
    expect(await client.call('contact.create', { request: randomUUID(), contact: {} })).not.toEqual(first)
  })

  it('SRV-17 the same nick is the same agent', async () => {
    const first = await signInAgent(test.url, 'Ada')
    expect((await signInAgent(test.url, 'Ada')).agent).toEqual(first.agent)
  })
})
