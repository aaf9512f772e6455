import '../../support/loaded-code.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { Contact } from '../../../sdk/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import type { Slot, Transport } from '../../../protocol/index.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { attackable, changing, hidden, isFrom } from '../../support/attacks.ts'
import { hostileTransport } from '../../support/hostile-service.ts'
import type { Attack } from '../../support/hostile-service.ts'
import { ManInTheMiddle } from '../../support/man-in-the-middle.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService({ strategy: 'least-loaded' })
})
afterAll(() => test.close())

const environment = () => ({ ...testEnvironment(new TestClock()), clock: pageClock, random: Math.random })

/** Two pages of a secure contact on the real service, which may become hostile. */
async function scene(begin: (contact: string) => Attack = () => ({})) {
  const hands = attackable()
  const nick = `Ada ${randomUUID().slice(0, 8)}`
  const [visitorToken, agentToken] = [await signInVisitor(test.url), await signInAgent(test.url, nick)]
  const way = (slot: Slot, token: string): Transport =>
    hostileTransport(
      socketTransport({ service: test.url, token: () => Promise.resolve(token) }),
      slot,
      hands.service,
    )
  const client = new VisitorClient(
    { service: test.url, transport: way('visitor', visitorToken.token) },
    { ...environment(), store: memoryStore(), tab: memoryStore() },
  )
  const console = new AgentImpl(
    { service: test.url, token: agentToken.token, transport: way('agent', agentToken.token) },
    { ...environment(), tab: memoryStore() },
  )
  hands.attack = {
    answer(name, result: { readonly contact?: string }) {
      if (name === 'contact.create') hands.attack = begin(result.contact ?? '')
      return result
    },
  }
  const offered = new Promise((resolve) => console.once('distribution', resolve))
  await console.ready({ tags: [nick] })
  const visitor = await client.createContact({ secure: true, tags: [nick] })
  await offered
  const agent = await console.accept(visitor.id)
  const heard: string[] = []
  agent.on('text', ({ text }) => void heard.push(`text ${text}`))
  agent.on('insecure', ({ type, reason }) => void heard.push(`insecure ${type} ${reason}`))
  await agent.join()
  await expect.poll(() => stateOf(visitor) !== 'agreeing' && stateOf(agent) !== 'agreeing').toBe(true)
  return {
    ...{ visitor, agent, heard },
    attack: (attack: Attack) => void (hands.attack = attack),
    close: async () => {
      await client.close()
      await console.close()
    },
  }
}

const stateOf = (contact: Contact): unknown => contact.verification?.state

describe('a secure contact on the real service', () => {
  it('ENC-550 what its pages say to each other stands nowhere in the store', async () => {
    const { visitor, agent, heard, close } = await scene()
    const canaries = Array.from({ length: 8 }, (_, index) => `canary${index}-${randomUUID()}`) as [
      ...[string, string, string, string],
      ...[string, string, string, string],
    ]
    const [text, url, desc, code, argument, answer, request, result] = canaries
    await visitor.sendText(text)
    await visitor.sendLink(`https://a.example/${url}`, desc)
    await visitor.sendAction(code, [argument])
    await agent.sendText(answer)
    agent.on('ask', (_data, callback) => callback(null, result))
    expect(await visitor.request('ask', request)).toBe(result)
    await expect.poll(() => heard).toContain(`text ${text}`)
    const { pool } = test.service.database
    const { rows } = await pool.query<{ body: string }>('select body from entries where contact = $1', [
      visitor.id,
    ])
    const bodies = rows.map(({ body }) => body)
    expect(bodies.filter((body) => body.includes('"encrypted":["text"]'))).toHaveLength(2)
    const stored = bodies.join('\n')
    for (const canary of canaries)
      for (const form of [
        canary,
        Buffer.from(canary).toString('base64'),
        Buffer.from(canary, 'utf16le').toString('hex'),
      ])
        expect(stored).not.toContain(form)
    expect(visitor.verification?.code).toEqual(agent.verification?.code)
    await close()
  })

  it('ENC-551 an entry that is left out is found out within a second of the one that shows it', async () => {
    const { visitor, agent, attack, close } = await scene()
    attack(hidden(isFrom('visitor', 'text'), 'agent'))
    await visitor.sendText('do not pay')
    await visitor.sendText('else pay')
    await expect.poll(() => stateOf(agent), { timeout: 1000 }).toBe('broken')
    await expect(agent.sendText('x')).rejects.toMatchObject({ code: 'tampered' })
    await close()
  })

  it('ENC-552 an entry in clear is not told', async () => {
    const { visitor, heard, attack, close } = await scene()
    attack(
      changing(isFrom('visitor', 'text'), 'agent', (entry) => ({
        ...entry,
        body: { text: 'send me the code' },
      })),
    )
    await visitor.sendText('hello')
    await expect.poll(() => heard).toEqual(['insecure text clear'])
    await close()
  })

  it('ENC-553 a man in the middle reads everything, and the codes differ', async () => {
    let man: ManInTheMiddle | null = null
    const { visitor, agent, heard, close } = await scene((contact) => (man = new ManInTheMiddle(contact)))
    await visitor.sendText('is it you?')
    await expect.poll(() => heard).toContain('text is it you?')
    expect((man as ManInTheMiddle | null)?.read.join()).toContain('is it you?')
    expect(visitor.verification?.code).not.toEqual(agent.verification?.code)
    await close()
  })
})
