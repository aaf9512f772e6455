/**
 * What a text costs on three nodes, whose parties mostly meet across nodes, beside one node: as fast as they
 * are confirmed, and where each node has the same to do, whether it is one or three.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Deployment } from '../../test/deployment/deployment.ts'
import { freePort } from '../../test/support/free-port.ts'
import { serviceProgram } from '../../test/support/service-process.ts'
import { signInAgent, signInVisitor } from '../../test/support/service.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { WireClient } from '../../test/support/wire-client.ts'
import { atLeast, atMost, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { cpuSeconds, cpuSecondsOfChildren } from '../machine.ts'
import { sentAt, sentence, servicePair } from './pairs.ts'
import type { Pair } from './pairs.ts'

const NODES = 3
const PAIRS = 36
/** Messages of a pair that are not confirmed yet. */
const WINDOW = 8
const ROUNDS = 5
const ROUND_MS = 3_000
/**
 * Texts that a pair writes in a second where the load of a node is given: as many as two cores carry on three nodes
 * beside the store and the parties.
 */
const PACED_PER_S = 100
/** So many cores three nodes need to be faster: their own, and those of the store and the parties. */
const CORES = 8
const FASTER = 2.4
const DEARER = 1.15

interface Carried {
  readonly perSecond: number
  readonly onWayMs: number
  /** Microseconds of processor time for each text. */
  readonly nodes: number
  readonly bus: number
  readonly store: number
}

type Round = Record<'one' | 'several' | 'fewPaced' | 'severalPaced', Carried>

interface Place {
  readonly all: Deployment
  readonly pairs: readonly Pair[]
  close(): Promise<void>
}

export async function cluster(): Promise<readonly Figure[]> {
  const places = { one: await startPlace(1), several: await startPlace(NODES) }
  // As many pairs for the one node as each of the several has.
  const few = { ...places.one, pairs: places.one.pairs.slice(0, PAIRS / NODES) }
  await carry(places.one)
  await carry(places.several)
  const rounds: Round[] = []
  while (rounds.length < ROUNDS)
    rounds.push({
      one: await carry(places.one),
      several: await carry(places.several),
      fewPaced: await carry(few, PACED_PER_S),
      severalPaced: await carry(places.several, PACED_PER_S),
    })
  await places.one.close()
  await places.several.close()
  const of = (name: string, value: (round: Round) => number, unit: string) => ({
    name,
    value: median(rounds.map(value)),
    unit,
  })
  const faster = of(
    `${NODES} nodes / one node, texts/s`,
    ({ one, several }) => several.perSecond / one.perSecond,
    '',
  )
  const dearer = of(
    `${NODES} nodes and their bus / one node, processor time at the same load of a node`,
    ({ fewPaced, severalPaced }) => (severalPaced.nodes + severalPaced.bus) / (fewPaced.nodes + fewPaced.bus),
    '',
  )
  return [
    of('one node', ({ one }) => one.perSecond, 'messages/s'),
    of(`${NODES} nodes`, ({ several }) => several.perSecond, 'messages/s'),
    of('processor time of one node', ({ one }) => one.nodes, 'µs/message'),
    of(`processor time of ${NODES} nodes`, ({ several }) => several.nodes, 'µs/message'),
    of('processor time of their NATS', ({ several }) => several.bus, 'µs/message'),
    of('one way at that load, p50, one node', ({ fewPaced }) => fewPaced.onWayMs, 'ms'),
    of(`one way at that load, p50, ${NODES} nodes`, ({ severalPaced }) => severalPaced.onWayMs, 'ms'),
    of(
      `${NODES} nodes and their bus / one node, processor time at the same load of all`,
      ({ one, several }) => (several.nodes + several.bus) / (one.nodes + one.bus),
      '',
    ),
    of('processor time of the store, one node', ({ one }) => one.store, 'µs/message'),
    of(`processor time of the store, ${NODES} nodes`, ({ several }) => several.store, 'µs/message'),
    ...(availableParallelism() >= CORES
      ? [atLeast(faster, FASTER), dearer]
      : [faster, atMost(dearer, DEARER)]),
  ]
}

/** Parties are spread as a load balancer does it: two thirds of the contacts of three nodes are on two of them. */
async function startPlace(nodes: number): Promise<Place> {
  const data = temporaryData()
  const all = await Deployment.start({
    folder: data.folder,
    service: await serviceProgram(),
    nodes,
    port: await freePort(),
  })
  const pairs: Pair[] = []
  const urlOf = (index: number): string => `http://127.0.0.1:${all.nodes[index % nodes]?.port}`
  while (pairs.length < PAIRS) {
    const [first, second] = [pairs.length, Math.floor(pairs.length / nodes)]
    pairs.push(
      await servicePair({
        visitor: async () => WireClient.connect(urlOf(first), (await signInVisitor(urlOf(first))).token),
        agent: async () =>
          WireClient.connect(urlOf(second), (await signInAgent(urlOf(second), `Agent ${first}`)).token),
      }),
    )
  }
  const close = async (): Promise<void> => {
    for (const pair of pairs) pair.close()
    await all.stop()
    data.remove()
  }
  return { all, pairs, close }
}

/** `perSecond`: texts of each pair; without, as many as are confirmed. */
async function carry({ all, pairs }: Place, perSecond?: number): Promise<Carried> {
  const ways: number[] = []
  let running = true
  const isRunning = (): boolean => running
  for (const pair of pairs) pair.onText = (text) => void ways.push(performance.now() - sentAt(text))
  const write = async (pair: Pair): Promise<void> => {
    while (isRunning()) await pair.send(sentence())
  }
  const pace = async (pair: Pair, rate: number): Promise<void> => {
    const sent: Promise<void>[] = []
    while (isRunning()) {
      await delay((Math.random() * 2_000) / rate)
      sent.push(pair.send(sentence()))
    }
    await Promise.all(sent)
  }
  const used = (): Record<'nodes' | 'bus' | 'store', number> => ({
    nodes: all.nodes.reduce((sum, { program }) => sum + cpuSeconds(program.pid), 0),
    bus: cpuSeconds(all.nats.pid),
    store: cpuSecondsOfChildren(all.postgres.pid),
  })
  const writers =
    perSecond === undefined
      ? pairs.flatMap((pair) => Array.from({ length: WINDOW }, () => write(pair)))
      : pairs.map((pair) => pace(pair, perSecond))
  const [start, before] = [performance.now(), used()]
  await delay(ROUND_MS)
  const [seconds, after, carried] = [(performance.now() - start) / 1_000, used(), ways.length]
  running = false
  await Promise.all(writers)
  const each = (part: 'nodes' | 'bus' | 'store'): number => ((after[part] - before[part]) * 1e6) / carried
  return {
    perSecond: carried / seconds,
    onWayMs: median(ways),
    nodes: each('nodes'),
    bus: each('bus'),
    store: each('store'),
  }
}
