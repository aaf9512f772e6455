import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import type { Agent, AgentEvents } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { next } from '../../support/next-event.ts'
import { joinAgent, offerSeen, queueVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({ strategy: 'least-loaded' })
})
afterAll(() => test.close())

const nextOf = <E extends keyof AgentEvents>(agent: Agent, event: E): Promise<AgentEvents[E]> =>
  new Promise((resolve) => agent.once(event, resolve))

async function agentNamed(
  nick: string,
): Promise<{ readonly agent: Agent; readonly id: string; readonly token: string }> {
  const { token, agent } = await signInAgent(test.url, nick)
  return { agent: createAgent({ service: test.url, token }), id: agent.id, token }
}

/** A visitor, and the agent who has joined the contact. */
async function inContact(nick: string) {
  const first = await agentNamed(nick)
  const offered = nextOf(first.agent, 'distribution')
  await first.agent.ready({ tags: [nick] })
  const client = createClient({ service: test.url, storage: memoryStore() })
  const visitor = await client.createContact({ nick: 'Vera', tags: [nick] })
  const { id } = await offered
  const contact = await first.agent.accept(id)
  const joined = next(visitor, 'joined')
  await contact.join()
  await joined
  await first.agent.pause()
  return { ...first, client, visitor, contact }
}

describe('the SDK on the service', () => {
  it('LOG-5 LOG-6 SRV-7 long texts that are written at once arrive, each once and in order, over one connection', async () => {
    const { agent, client, visitor, contact } = await inContact('long')
    const heard: string[] = []
    contact.on('text', ({ text }) => void heard.push(text.slice(0, 2)))
    const states: string[] = []
    visitor.on('connection', ({ state }) => void states.push(state))
    const numbers = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, '0'))
    const last = new Promise<void>((resolve) =>
      contact.on('text', ({ text }) => text.startsWith('59') && resolve()),
    )
    await Promise.all(numbers.map((number) => visitor.sendText(number + 'x'.repeat(8_000))))
    await last
    expect([heard, states]).toEqual([numbers, []])
    await Promise.all([client.close(), agent.close()])
  })

  it('LIFE-15 LIFE-16 LIFE-17 goes on with another agent under another id, who reads what was said before', async () => {
    const { agent, client, visitor, contact } = await inContact('first')
    const second = await agentNamed('second')
    await second.agent.ready()
    const before = visitor.id
    await visitor.sendText('to the first')
    const [offered, moved, over] = [
      nextOf(second.agent, 'distribution'),
      next(visitor, 'transferred'),
      next(contact, 'transferred'),
    ]
    const toId = await agent.transfer(before, { toAgent: second.id })
    expect([await moved, await over, visitor.id]).toEqual([
      { id: before, to: { toId, toAgent: second.id } },
      { id: before, to: { toId, toAgent: second.id } },
      toId,
    ])
    expect(await offered).toMatchObject({ id: toId, nick: 'Vera' })
    const there = await second.agent.accept(toId)
    const [joined, heard] = [next(visitor, 'joined'), next(there, 'text')]
    await there.join()
    expect(await joined).toMatchObject({ id: toId, user: second.id, nick: 'second' })
    await visitor.sendText('to the second')
    expect(await heard).toMatchObject({ text: 'to the second', from_nick: 'Vera' })
    expect(there.data()).toMatchObject({ id: toId, transferredFrom: before, state: 'joined' })
    await expect(contact.sendText('still here')).rejects.toMatchObject({ code: 'left' })
    await expect(agent.transfer(toId, { toTags: [] })).rejects.toMatchObject({ code: 'not_assigned' })
    await expect(second.agent.transfer(toId, { toAgent: 'a-nobody' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await Promise.all([visitor.leave(), there.leave()])
    await Promise.all([client.close(), agent.close(), second.agent.close()])
  })

  it('SND-115 LIFE-18 a contact that the named agent is not free for goes on to anyone: visitor and agent hear who did not take it', async () => {
    const { agent, client, visitor } = await inContact('handing')
    const named = await agentNamed('named')
    await named.agent.pause()
    const third = await agentNamed('third')
    const toId = await agent.transfer(visitor.id, { toAgent: named.id })
    const [declined, told, offered] = [
      next(visitor, 'declined'),
      nextOf(agent, 'declined'),
      nextOf(third.agent, 'distribution'),
    ]
    await third.agent.ready()
    while (
      (await test.service.database.pool.query('select 1 from contacts where id = $1 and waiting', [toId]))
        .rowCount === 0
    )
      await new Promise((settle) => setImmediate(settle))
    test.clock.advance(30_000)
    const who = { id: toId, user: named.id, nick: 'named' }
    expect([await declined, await told, (await offered).id]).toEqual([who, who, toId])
    await visitor.leave()
    await Promise.all([client, agent, named.agent, third.agent].map((each) => each.close()))
  })

  it('LIFE-15 a visitor who leaves a contact that has gone on meanwhile leaves it where it is', async () => {
    const visitor = await queueVisitor(test)
    const { client } = await joinAgent(test, visitor.id)
    const { contact: toId } = await client.call('agent.transfer', { contact: visitor.id, toTags: ['nobody'] })
    await visitor.session.leave()
    expect((await visitor.client.call('contact.read', { contact: toId })).record).toMatchObject({
      state: 'cleared',
      reason: 'cancel',
      transferredFrom: visitor.id,
    })
    await client.call('agent.presence', { state: 'paused' })
  })

  it('LIFE-24 SRV-12 the place in the queue is an event with numbers; an agent who lets an offer expire is told that they are paused', async () => {
    const { agent } = await agentNamed('slow')
    await agent.ready({ tags: ['slow'] })
    const [paused, offered] = [nextOf(agent, 'paused'), nextOf(agent, 'distribution')]
    const client = createClient({ service: test.url, storage: memoryStore() })
    const visitor = await client.createContact({ tags: ['slow'] })
    const place = next(visitor, 'queue')
    await offered
    await offerSeen(test)
    test.clock.advance(31_000)
    expect([await paused, (await place).position]).toEqual([{ reason: 'expired' }, 1])
    await visitor.leave()
    await Promise.all([client.close(), agent.close()])
  })

  it('SRV-5 an agent whom a third party routes takes by force what was not offered, with the right to it', async () => {
    const withRights = async (rights: readonly string[]): Promise<Agent> => {
      const body = JSON.stringify({ nick: `Routed ${rights.length}`, rights })
      const answer = await fetch(`${test.url}/v1/dev/agents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return createAgent({ service: test.url, token: ((await answer.json()) as { token: string }).token })
    }
    const [agent, other] = [await withRights(['join:force']), await withRights([])]
    const client = createClient({ service: test.url, storage: memoryStore() })
    const { id } = await client.createContact({ tags: ['nobody'] })
    await expect(agent.accept(id)).rejects.toMatchObject({ code: 'not_assigned' })
    await expect(other.accept(id, { force: true })).rejects.toMatchObject({ code: 'forbidden' })
    const contact = await agent.accept(id, { force: true })
    await contact.join()
    expect(contact.data().state).toBe('joined')
    await expect(agent.accept(id, null as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await Promise.all([client.close(), agent.close(), other.close()])
  })
})
