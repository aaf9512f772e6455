/** How many contacts a node gives to agents, from the offer to the stored assignment. */
import { setTimeout as delay } from 'node:timers/promises'
import { queueVisitor } from '../../test/support/parties.ts'
import type { WireClient } from '../../test/support/wire-client.ts'
import { atLeast, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { cpuSeconds, cpuSecondsOfChildren, fsyncMs } from '../machine.ts'
import { startGround } from './ground.ts'
import type { Ground } from './ground.ts'
import { many } from './pairs.ts'

const AGENTS = 200
const CONTACTS = 1_000
const CAPACITY = 100
const ROUNDS = 3

interface Round {
  readonly perSecond: number
  readonly serviceMs: number
  readonly storeMs: number
  readonly fsync: number
}

export async function assignments(): Promise<readonly Figure[]> {
  const ground = await startGround('--strategy', 'least-loaded')
  const agents = await many(AGENTS, ground.agent)
  const rounds: Round[] = []
  while (rounds.length < ROUNDS) rounds.push({ ...(await assign(ground, agents)), fsync: await fsyncMs() })
  await ground.stop()
  const medianOf = (value: (round: Round) => number): number => median(rounds.map(value))
  return [
    { name: 'processor time of the service', value: medianOf((each) => each.serviceMs), unit: 'ms each' },
    { name: 'processor time of the store', value: medianOf((each) => each.storeMs), unit: 'ms each' },
    { name: 'fsync of 8 KiB', value: medianOf((each) => each.fsync), unit: 'ms' },
    atLeast(
      {
        name: `assignments, ${AGENTS} agents and ${CONTACTS} contacts that wait`,
        value: medianOf((each) => each.perSecond),
        unit: '/s',
      },
      1_000,
    ),
  ]
}

/** Contacts that wait, then agents who take all that they are offered. */
async function assign(ground: Ground, agents: readonly WireClient[]): Promise<Omit<Round, 'fsync'>> {
  const visitors = await queued(ground)
  const taken = new Set<string>()
  for (const agent of agents) {
    agent.onPush = (push) => {
      if (push.name !== 'agent.distribution') return
      const { id: contact } = push.body
      void agent.call('agent.accept', { contact }).then(() => taken.add(contact))
    }
  }
  const [start, service, store] = [
    performance.now(),
    cpuSeconds(ground.pid),
    cpuSecondsOfChildren(ground.storePid),
  ]
  await Promise.all(
    agents.map((agent) => agent.call('agent.presence', { state: 'ready', capacity: CAPACITY })),
  )
  while (taken.size < CONTACTS) await delay(1)
  const seconds = (performance.now() - start) / 1_000
  const [serviceMs, storeMs] = [
    cpuSeconds(ground.pid) - service,
    cpuSecondsOfChildren(ground.storePid) - store,
  ].map((used) => (used * 1_000) / CONTACTS)
  await Promise.all(agents.map((agent) => agent.call('agent.presence', { state: 'paused' })))
  for (const visitor of visitors) visitor.close()
  return { perSecond: CONTACTS / seconds, serviceMs: serviceMs ?? 0, storeMs: storeMs ?? 0 }
}

const AT_ONCE = 50

async function queued(ground: Ground): Promise<WireClient[]> {
  const clients: WireClient[] = []
  while (clients.length < CONTACTS) {
    const waiting = await Promise.all(Array.from({ length: AT_ONCE }, () => queueVisitor(ground)))
    clients.push(...waiting.map(({ client }) => client))
  }
  return clients
}
