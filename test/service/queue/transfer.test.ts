import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinAgent, queueVisitor, timerSet } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** An agent who is ready for more than they can be offered. */
async function readyAgent(nick?: string): Promise<WireClient> {
  const agent = await test.agent(nick)
  await agent.call('agent.presence', { state: 'ready', capacity: 100 })
  return agent
}

const offered = (agent: WireClient, contact: string) =>
  agent.push('agent.distribution', ({ id }) => id === contact)
const pause = (...agents: WireClient[]) =>
  Promise.all(agents.map((agent) => agent.call('agent.presence', { state: 'paused' })))

/** A joined contact that its agent hands to the one named, while another is ready. */
async function handedTo(nick: string) {
  const visitor = await queueVisitor(test)
  const first = await joinAgent(test, visitor.id)
  const named = await readyAgent(nick)
  const other = await readyAgent()
  const { agent } = await signInAgent(test.url, nick)
  const { contact } = await first.client.call('agent.transfer', { contact: visitor.id, toAgent: agent.id })
  return { visitor, first, named, other, agent, contact }
}

describe('transfer', () => {
  it('LIFE-15 LIFE-16 LIFE-17 a joined contact goes on under a new id with the agent who was named', async () => {
    const { visitor, first, named, other, agent, contact } = await handedTo('Named')
    expect((await visitor.client.entry(visitor.id, 'transferred')).body).toEqual({
      toId: contact,
      toAgent: agent.id,
    })
    await first.client.entry(visitor.id, 'transferred')
    await expect(first.session.text('too late')).rejects.toMatchObject({ code: 'left' })
    await expect(
      first.client.call('log.read', { contact: visitor.id, after: 0, limit: 10 }),
    ).rejects.toMatchObject({ code: 'left' })
    await expect(first.client.call('agent.accept', { contact: visitor.id })).rejects.toMatchObject({
      code: 'left',
    })
    await expect(first.client.call('agent.decline', { contact: visitor.id })).rejects.toMatchObject({
      code: 'left',
    })
    await expect(
      first.client.call('agent.edit', { contact: visitor.id, form: 'f', field: 'f', value: 'x' }),
    ).rejects.toMatchObject({ code: 'left' })
    const next = new WireSession(visitor.client, contact)
    await next.open()
    await next.present()
    await offered(named, contact)
    expect(
      other.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === contact),
    ).toEqual([])
    const { record } = await named.call('agent.accept', { contact })
    expect(record).toMatchObject({ id: contact, transferredFrom: visitor.id })
    expect(
      (await named.call('log.read', { contact: visitor.id, after: 0, limit: 10 })).entries.at(-1)?.type,
    ).toBe('transferred')
    await expect(other.call('log.read', { contact: visitor.id, after: 0, limit: 10 })).rejects.toMatchObject({
      code: 'not_assigned',
    })
    await pause(named, other, first.client)
  })

  it('LIFE-15 one that was to go to an agent who is gone goes to anyone', async () => {
    const { visitor, first, named, other, agent, contact } = await handedTo('Gone')
    await pause(named, first.client)
    const next = new WireSession(visitor.client, contact)
    await next.open()
    await next.present()
    named.close()
    await timerSet(test, agent.id, 'agent')
    expect(
      other.pushes.filter((push) => push.name === 'agent.distribution' && push.body.id === contact),
    ).toEqual([])
    test.clock.advance(60_000)
    await offered(other, contact)
    await pause(other)
  })

  it('LIFE-16 the transcript of a secure contact stays closed to the next agent', async () => {
    const visitor = await queueVisitor(test, { secure: true })
    const first = await joinAgent(test, visitor.id)
    await first.client.call('agent.presence', { state: 'paused' })
    const { contact } = await first.client.call('agent.transfer', { contact: visitor.id, toTags: ['vip'] })
    const next = new WireSession(visitor.client, contact)
    expect((await next.open()).record.tags).toEqual(['vip'])
    await next.present()
    const second = await readyAgent()
    await offered(second, contact)
    await second.call('agent.accept', { contact })
    await expect(second.call('log.read', { contact: visitor.id, after: 0, limit: 10 })).rejects.toMatchObject(
      { code: 'not_assigned' },
    )
    await pause(second)
  })

  it('LIFE-18 one that is not joined keeps its id', async () => {
    const visitor = await queueVisitor(test)
    const agent = await readyAgent()
    await offered(agent, visitor.id)
    await agent.call('agent.accept', { contact: visitor.id })
    expect(await agent.call('agent.transfer', { contact: visitor.id, toTags: ['billing'] })).toEqual({
      contact: visitor.id,
    })
    await visitor.client.entry(visitor.id, 'declined')
    expect((await visitor.client.call('contact.read', { contact: visitor.id })).record).toMatchObject({
      state: 'queued',
      tags: ['billing'],
    })
    await pause(agent)
    await visitor.session.leave()
  })

  it('SRV-5 transfers that make no sense are refused', async () => {
    const visitor = await queueVisitor(test)
    const { client } = await joinAgent(test, visitor.id, 'Self')
    const { agent } = await signInAgent(test.url, 'Self')
    const code = async (args: object) => {
      const reply = await client.ask('agent.transfer', { contact: visitor.id, ...args })
      return reply.ok ? 'ok' : reply.error.code
    }
    expect(await code({})).toBe('invalid_argument')
    expect(await code({ toAgent: 'a-x', toTags: [] })).toBe('invalid_argument')
    expect(await code({ toAgent: 'a-unknown' })).toBe('not_found')
    expect(await code({ toAgent: agent.id })).toBe('invalid_argument')
    expect(await visitor.client.ask('agent.transfer', { contact: visitor.id, toTags: ['x'] })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    })
    const stranger = await test.agent()
    expect(await stranger.ask('agent.transfer', { contact: visitor.id, toTags: ['x'] })).toMatchObject({
      ok: false,
      error: { code: 'not_assigned' },
    })
  })
})
