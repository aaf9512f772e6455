/** The faults that a run makes, one after the other. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Deployment, ServiceNode } from '../deployment/deployment.ts'
import type { Way } from '../deployment/gate.ts'
import type { PacketLoss } from '../deployment/network-place.ts'
import type { Fault } from './facts.ts'
import type { Parties, PartyProcess } from './parties.ts'
import { pick } from './random.ts'
import type { Random } from './random.ts'

/** What is disturbed. */
export interface Ground {
  readonly all: Deployment
  readonly parties: Parties
  readonly random: Random
  /** Number of the next folder of a standby. */
  standbys: number
}

/** What the checker must know of a fault besides its time. */
type Told = Pick<Fault, 'target' | 'killed' | 'stopped' | 'outage'>

export type MakeFault = (ground: Ground) => Promise<Told>

const node = ({ all, random }: Ground): ServiceNode => {
  const found = pick(random, all.nodes)
  if (!found) throw new Error('there is no node')
  return found
}

const party = ({ parties, random }: Ground): PartyProcess => {
  const found = pick(random, parties.processes)
  if (!found) throw new Error('there are no parties')
  return found
}

/** Without another node nobody is served meanwhile. */
const told = ({ all }: Ground, target: ServiceNode): Told => ({
  target: target.name,
  outage: all.nodes.length === 1,
})

const CLOCK_S = 300

const between = (random: Random, least: number, most: number): number => least + random() * (most - least)

const kill: MakeFault = async (ground) => {
  const one = node(ground)
  await one.program.end('SIGKILL')
  await delay(between(ground.random, 500, 8_000))
  await ground.all.startNode(one)
  return told(ground, one)
}

/** The node has no time, and wakes as if nothing had been. */
const stop =
  (ms: number): MakeFault =>
  async (ground) => {
    const one = node(ground)
    one.program.signal('SIGSTOP')
    await delay(ms)
    one.program.signal('SIGCONT')
    return told(ground, one)
  }

const drainOne = async (ground: Ground, one: ServiceNode): Promise<void> => {
  await one.program.end('SIGTERM')
  await ground.all.startNode(one)
}

const drain: MakeFault = async (ground) => {
  const one = node(ground)
  await drainOne(ground, one)
  return told(ground, one)
}

const rolling: MakeFault = async (ground) => {
  for (const one of ground.all.nodes) await drainOne(ground, one)
  return { target: 'all nodes', outage: ground.all.nodes.length === 1 }
}

const storeAgain =
  (signal: NodeJS.Signals): MakeFault =>
  async ({ all, random }) => {
    await all.postgres.stop(signal)
    await delay(between(random, 500, 5_000))
    await all.postgres.restart()
    return { target: 'PostgreSQL', outage: true }
  }

const failOver: MakeFault = async (ground) => {
  const { all, random } = ground
  await all.postgres.stop('SIGKILL')
  await delay(between(random, 500, 5_000))
  await all.failOver()
  await delay(5_000)
  ground.standbys += 1
  await all.addStandby(ground.standbys)
  return { target: 'PostgreSQL', outage: true }
}

const busKill: MakeFault = async ({ all, random }) => {
  await all.nats.end('SIGKILL')
  await delay(between(random, 1_000, 10_000))
  await all.startNats()
  return { target: 'NATS' }
}

const busStop: MakeFault = async ({ all }) => {
  all.nats.signal('SIGSTOP')
  await delay(20_000)
  all.nats.signal('SIGCONT')
  return { target: 'NATS' }
}

/** Connections go on, and nothing gets through. */
const cut =
  (to: 'toStore' | 'toBus', way: Way, ms: number): MakeFault =>
  async (ground) => {
    const one = node(ground)
    one[to]?.set(way)
    await delay(ms)
    one[to]?.set('open')
    return to === 'toBus' ? { target: one.name } : told(ground, one)
  }

const loss: MakeFault = async ({ all }) => {
  const lose = (part: number): void => {
    for (const { toStore, toBus } of all.nodes) {
      toStore?.lose(part)
      toBus?.lose(part)
    }
  }
  lose(0.2)
  await delay(30_000)
  lose(0)
  return { target: 'all nodes' }
}

const pagesKill: MakeFault = async (ground) => {
  const one = party(ground)
  const { process } = one.task
  ground.parties.kill(one)
  return { target: process, killed: [process] }
}

const pagesStop: MakeFault = async (ground) => {
  const one = party(ground)
  one.child.kill('SIGSTOP')
  await delay(20_000)
  one.child.kill('SIGCONT')
  return { target: one.task.process, stopped: [one.task.process] }
}

/** A page that dies with its node: nobody tells that it has gone. */
const killWithPages: MakeFault = async (ground) => {
  const [one, other] = [node(ground), party(ground)]
  const { process } = other.task
  const ended = one.program.end('SIGKILL')
  ground.parties.kill(other)
  await ended
  await delay(between(ground.random, 500, 3_000))
  await ground.all.startNode(one)
  return { ...told(ground, one), target: `${one.name} and ${process}`, killed: [process] }
}

/** All nodes are without the bus, which goes on. */
const busCut: MakeFault = async ({ all }) => {
  for (const { toBus } of all.nodes) toBus?.set('silent')
  await delay(10_000)
  for (const { toBus } of all.nodes) toBus?.set('open')
  return { target: 'NATS' }
}

const LATE_MS = 100

const late: MakeFault = async ({ all }) => {
  const set = (ms: number): void => {
    for (const { toStore, toBus } of all.nodes) {
      toStore?.delay(ms)
      toBus?.delay(ms)
    }
  }
  set(LATE_MS)
  await delay(30_000)
  set(0)
  return { target: 'all nodes' }
}

/** Packets of these nodes to and from store, bus and pages are dropped. */
const drop =
  (isAll: boolean, loss: PacketLoss, ms: number): MakeFault =>
  async (ground) => {
    const nodes = isAll ? ground.all.nodes : [node(ground)]
    for (const { place } of nodes) place?.lose(loss)
    await delay(ms)
    for (const { place } of nodes) place?.lose({ arrives: 0, leaves: 0 })
    const [first] = nodes
    return isAll || !first ? { target: 'all nodes' } : told(ground, first)
  }

const balancer: MakeFault = async ({ all }) => {
  await all.restartBalancer()
  return { target: 'HAProxy' }
}

/** The time of day of a node jumps ahead or back, and back again. */
const clock: MakeFault = async (ground) => {
  const one = node(ground)
  const seconds = ground.random() < 0.5 ? CLOCK_S : -CLOCK_S
  ground.all.setClock(one, seconds)
  await delay(30_000)
  ground.all.setClock(one, 0)
  return { target: `${one.name} by ${seconds} s` }
}

/** Needs libfaketime. */
export const CLOCK = 'clock'

/** Need network namespaces. */
export const OF_PACKETS: Readonly<Record<string, MakeFault>> = {
  'packets lost': drop(true, { arrives: 0.2, leaves: 0.2 }, 30_000),
  'node cut off': drop(false, { arrives: 1, leaves: 1 }, 40_000),
  'node deaf': drop(false, { arrives: 1, leaves: 0 }, 30_000),
  'node mute': drop(false, { arrives: 0, leaves: 1 }, 30_000),
}

/** Those of a short run, in this order; it does without those that cannot be made here. */
export const SHORT: readonly string[] = [
  ...['kill with pages', 'stop 20 s', 'drain', 'bus cut', 'store restart'],
  ...[CLOCK, 'packets lost'],
]

export const FAULTS: Readonly<Record<string, MakeFault>> = {
  kill,
  'kill with pages': killWithPages,
  'stop 20 s': stop(20_000),
  'stop 70 s': stop(70_000),
  drain,
  rolling,
  'store restart': storeAgain('SIGINT'),
  'store crash': storeAgain('SIGQUIT'),
  'fail-over': failOver,
  'bus kill': busKill,
  'bus stop': busStop,
  'bus cut': busCut,
  'cut from store': cut('toStore', 'silent', 40_000),
  'long cut from store': cut('toStore', 'silent', 110_000),
  'deaf to store': cut('toStore', 'mute', 30_000),
  'cut from bus': cut('toBus', 'silent', 30_000),
  'mute on bus': cut('toBus', 'deaf', 30_000),
  loss,
  delay: late,
  'pages killed': pagesKill,
  'pages stopped': pagesStop,
  balancer,
  [CLOCK]: clock,
  ...OF_PACKETS,
}

/** The names of the faults in the order in which a seed makes them: all of them in each round. */
export function* orderOf(random: Random, names: readonly string[]): Generator<string, never> {
  for (;;) {
    const round = [...names]
    while (round.length > 0) {
      const [next = ''] = round.splice(Math.floor(random() * round.length), 1)
      yield next
    }
  }
}
