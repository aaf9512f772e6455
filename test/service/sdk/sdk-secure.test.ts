import '../../support/loaded-code.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { Contact, KeyValueStore } from '../../../sdk/index.ts'
import { agentMessages } from '../../../protocol/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import type { Slot, Transport } from '../../../protocol/index.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { attackable, changing, hidden, isFrom, lowered, withheld } from '../../support/attacks.ts'
import { hostileTransport } from '../../support/hostile-service.ts'
import type { Attack, Raw } from '../../support/hostile-service.ts'
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
async function scene(begin: (contact: string) => Attack = () => ({}), isCut = false) {
  const hands = attackable()
  const nick = `Ada ${randomUUID().slice(0, 8)}`
  const [visitorToken, agentToken] = [await signInVisitor(test.url), await signInAgent(test.url, nick)]
  const way = (slot: Slot, token: string): Transport =>
    hostileTransport(
      socketTransport({ service: test.url, token: () => Promise.resolve(token), messages: agentMessages }),
      slot,
      hands.service,
    )
  const visitorPage = (kept: { readonly store: KeyValueStore; readonly tab: KeyValueStore }): VisitorClient =>
    new VisitorClient(
      { service: test.url, transport: way('visitor', visitorToken.token) },
      { ...environment(), ...kept },
    )
  const kept = { store: memoryStore(), tab: memoryStore() }
  const client = visitorPage(kept)
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
  const errors = { visitor: [] as string[], agent: [] as string[] }
  visitor.on('error', ({ code }) => void errors.visitor.push(code))
  agent.on('error', ({ code }) => void errors.agent.push(code))
  await agent.join()
  if (!isCut)
    await expect.poll(() => stateOf(visitor) !== 'agreeing' && stateOf(agent) !== 'agreeing').toBe(true)
  return {
    ...{ visitor, agent, heard, errors },
    /** The visitor's page is loaded anew. */
    reloaded: async () => {
      await client.close()
      return visitorPage(kept).resumeContact()
    },
    attack: (attack: Attack) => void (hands.attack = attack),
    close: async () => {
      await client.close()
      await console.close()
    },
  }
}

const stateOf = (contact: Contact): unknown => contact.verification?.state

/** What stands in the store of a contact. */
async function bodiesOf({ id }: Contact): Promise<string> {
  const { rows } = await test.service.database.pool.query<{ body: string }>(
    'select body from entries where contact = $1',
    [id],
  )
  return rows.map(({ body }) => body).join('\n')
}

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

  it.each([
    ['visitor', 'agent'],
    ['agent', 'visitor'],
  ] as const)(
    'ENC-554 two logs are found out within a second of what the other party wrote in its own: hidden from the %s',
    async (reader, writer) => {
      const both = await scene()
      both.attack(hidden(isFrom(writer, 'text'), reader))
      await both[writer].sendText('only for me')
      await both[reader].sendText('from another log')
      // The first may have been written before the hidden one came: the second is sealed over another log.
      both[reader].sendText('and again').catch(() => {})
      // Whoever reads first what the other one wrote in its own log.
      const states = (): unknown[] => [stateOf(both[reader]), stateOf(both[writer])]
      await expect.poll(states, { timeout: 1000 }).toContain('broken')
      await both.close()
    },
  )

  it(
    'ENC-555 an agreement that is cut at any step stands still, says so after 15 s, and nothing goes in clear',
    { timeout: 45_000 },
    async () => {
      const unsaid = (fits: (entry: Raw) => boolean, reader: Slot): Attack =>
        changing(fits, reader, (entry) => ({ ...entry, type: 'nothing', body: {} }))
      const cuts = [
        ['keyCommit', 'visitor', 'agent'],
        ['keyShare', 'agent', 'visitor'],
        ['keyReveal', 'visitor', 'agent'],
      ] as const
      const scenes: { readonly reader: Slot; readonly both: Awaited<ReturnType<typeof scene>> }[] = []
      for (const [type, by, reader] of cuts)
        // Without anything from the commit on, the agent could not even join.
        for (const cut of type === 'keyCommit' ? [unsaid] : [withheld, unsaid])
          scenes.push({ reader, both: await scene(() => cut(isFrom(by, type), reader), true) })
      const canary = `canary-${randomUUID()}`
      await Promise.all(
        scenes.map(async ({ reader, both }) => {
          both.visitor.sendText(canary).catch(() => {})
          await expect.poll(() => both.errors[reader], { timeout: 25_000 }).toContain('timeout')
          expect(stateOf(both[reader])).toBe('agreeing')
          expect(await bodiesOf(both.visitor)).not.toContain(canary)
          await both.close()
        }),
      )
    },
  )

  it('ENC-556 a record that says that a contact is not secure any more breaks it, and nothing goes in clear', async () => {
    const { visitor, attack, reloaded, close } = await scene()
    attack(lowered('visitor'))
    const { contact } = await reloaded()
    expect([contact?.secure, contact && stateOf(contact)]).toEqual([true, 'broken'])
    await expect(contact?.sendText('in clear')).rejects.toMatchObject({ code: 'tampered' })
    expect(await bodiesOf(visitor)).not.toContain('in clear')
    await close()
  })
})
