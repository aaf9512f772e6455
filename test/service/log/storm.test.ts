import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Distribution, Entry } from '../../../protocol/index.ts'
import { seeded } from '../../support/mutations.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

/** `DUOLOG_STORM=20` is the size of the requirement: 200 agents, 5,000 contacts. */
const FACTOR = Number(process.env['DUOLOG_STORM'] ?? 1)
const AGENTS = 10 * FACTOR
const CONTACTS = 250 * FACTOR
/** Contacts that are created at the same time. */
const WAVE = 125
const VISITORS = Math.max(10, Math.ceil(CONTACTS / 25))
/**
 * Simulated time moves on in such steps, and only when what had been asked before has been answered: on a
 * slow machine too, offers and tokens last as long.
 */
const STEP_MS = 250
const PAUSE_MS = 50
/** Simulated, and long before the first token expires: what is open by then has been forgotten. */
const LIMIT_MS = 600_000

const random = seeded(11)
let test: TestService
let running = true
let clients = 0
/** What must not happen, whatever the agents do. */
const faults: unknown[] = []
/** What agents are doing at the moment. */
const activities = new Set<Promise<void>>()

beforeAll(async () => {
  test = await startTestService(
    { strategy: 'weighted', maxWaitMs: 10 ** 9 },
    {
      limits: {
        offerMs: 2_000,
        refusalMs: 4_000,
        agentGraceMs: 3_000,
        joinMs: 3_000,
        graceMs: 3_000,
        disconnectMs: 5_000,
      },
    },
  )
})
afterAll(async () => {
  running = false
  await test.close()
})

/** Accepts, declines, ignores, vanishes and comes back, as chance has it. */
async function agentAtWork(nick: string): Promise<void> {
  const { token } = await signInAgent(test.url, nick)
  for (;;) {
    if (!running) return
    const client = await WireClient.connect(test.url, token)
    clients += 1
    const gone = new Promise<void>((settle) => client.socket.once('disconnect', () => settle()))
    client.onPush = (push) => {
      if (push.name === 'agent.distribution') act(answer(client, push.body))
      if (push.name === 'agent.paused') act(ready(client))
    }
    act(ready(client))
    await gone
  }
}

/** What an agent does may fail: the contact may be gone, or the agent's connection. The service may not. */
function act(work: Promise<unknown>): void {
  const activity = work.then(
    () => {},
    (thrown: Error & { readonly code?: string }) => void (thrown.code === 'internal' && faults.push(thrown)),
  )
  activities.add(activity)
  void activity.then(() => activities.delete(activity))
}

const ready = (client: WireClient) => client.call('agent.presence', { state: 'ready', capacity: 3 })

async function answer(client: WireClient, { id: contact }: Distribution): Promise<void> {
  const chance = random()
  if (chance < 0.15) await client.call('agent.decline', { contact })
  else if (chance < 0.25) return
  else if (chance < 0.28) client.close()
  else await take(client, contact)
}

async function take(client: WireClient, contact: string): Promise<void> {
  await client.call('agent.accept', { contact })
  const chance = random()
  if (chance < 0.05) return
  if (chance < 0.1) await client.call('agent.decline', { contact })
  const session = new WireSession(client, contact)
  await session.open()
  await session.present()
  await session.leave()
}

/** Time passes from the first contact on. */
async function passTime(): Promise<void> {
  for (;;) {
    if (!running) return
    test.clock.advance(STEP_MS)
    await Promise.all([delay(PAUSE_MS), ...activities])
  }
}

async function queued(
  client: WireClient,
): Promise<{ readonly client: WireClient; readonly contact: string }> {
  const { contact } = await client.call('contact.create', { request: randomUUID(), contact: {} })
  const session = new WireSession(client, contact)
  await session.open()
  await session.present()
  return { client, contact }
}

const rowsOf = async (statement: string): Promise<unknown[]> =>
  (await test.service.database.pool.query<object>(statement)).rows
const waiting = () =>
  rowsOf("select id, life, agent, waiting from contacts where life not in ('cleared', 'transferred')")

it(
  'SRV-11 SRV-12 no contact is assigned twice and none is forgotten, whatever the agents do',
  { timeout: FACTOR > 1 ? 3_600_000 : 300_000 },
  async () => {
    const agents = Array.from({ length: AGENTS }, (_, index) =>
      agentAtWork(`Agent ${index}`).catch((thrown: unknown) => void faults.push(thrown)),
    )
    const visitors = await Promise.all(Array.from({ length: VISITORS }, () => test.visitor()))
    const time = passTime()
    const contacts: { readonly client: WireClient; readonly contact: string }[] = []
    for (let made = 0; made < CONTACTS; made += WAVE) {
      const wave = Array.from({ length: WAVE }, (_, index) =>
        queued(visitors[(made + index) % VISITORS] as WireClient),
      )
      contacts.push(...(await Promise.all(wave)))
    }
    const limit = test.clock.now() + LIMIT_MS
    for (let open = await waiting(); open.length > 0; open = await waiting()) {
      if (test.clock.now() > limit)
        expect({
          forgotten: open,
          agents: await rowsOf('select id, state, capacity, connected from agents'),
        }).toBeNull()
      expect(faults).toEqual([])
      await delay(PAUSE_MS)
    }
    running = false
    await time
    for (const visitor of visitors) {
      // The log is what counts, not whether a connection has lasted.
      const reader = await test.visitorAgain(visitor)
      for (const { contact } of contacts.filter(({ client }) => client === visitor)) {
        const { entries } = await reader.call('log.read', { contact, after: 0, limit: 1_000 })
        expect(faultOf(entries)).toBeNull()
      }
    }
    expect(clients).toBeGreaterThan(AGENTS)
    expect(faults).toEqual([])
    void agents
  },
)

/**
 * Between two assignments the first agent must have lost the contact; and its end must be one that happened.
 */
function faultOf(entries: readonly Entry[]): string | null {
  let agent: string | null = null
  for (const entry of entries) {
    if (entry.type === 'assigned') {
      if (agent !== null) return `assigned to ${entry.body.user} while ${agent} has it`
      agent = entry.body.user
    }
    if (entry.type === 'joined' && entry.body.user !== agent)
      return `${entry.body.user} joined, ${agent} has it`
    if (entry.type === 'declined' && entry.body.user === agent) agent = null
  }
  const last = entries.at(-1)
  if (last?.type === 'transferred') return null
  return last?.type === 'cleared' && last.body.reason === 'user' && agent !== null
    ? null
    : `it ended with ${JSON.stringify(last?.body)}`
}
