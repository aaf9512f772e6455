/** What a text costs on three nodes, whose parties mostly meet across nodes, beside one node. */
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Deployment } from '../../test/deployment/deployment.ts'
import { freePort } from '../../test/support/free-port.ts'
import { serviceProgram } from '../../test/support/service-process.ts'
import { signInAgent, signInVisitor, temporaryData } from '../../test/support/service.ts'
import { WireClient } from '../../test/support/wire-client.ts'
import { atLeast, atMost, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { cpuSeconds, cpuSecondsOfChildren } from '../machine.ts'
import { sentence, servicePair } from './pairs.ts'
import type { Pair } from './pairs.ts'

const NODES = 3
const PAIRS = 36
/** Messages of a pair that are not confirmed yet. */
const WINDOW = 8
const ROUNDS = 5
const ROUND_MS = 3_000
/** So many cores three nodes need to be faster: their own, and those of the store and the parties. */
const CORES = 8
const FASTER = 2.4
const DEARER = 1.15

interface Carried {
  readonly perSecond: number
  /** Microseconds of processor time for each text. */
  readonly nodes: number
  readonly bus: number
  readonly store: number
}

interface Place {
  readonly all: Deployment
  readonly pairs: readonly Pair[]
  close(): Promise<void>
}

export async function cluster(): Promise<readonly Figure[]> {
  const places = { one: await startPlace(1), several: await startPlace(NODES) }
  await carry(places.one)
  await carry(places.several)
  const rounds: { readonly one: Carried; readonly several: Carried }[] = []
  while (rounds.length < ROUNDS)
    rounds.push({ one: await carry(places.one), several: await carry(places.several) })
  await places.one.close()
  await places.several.close()
  const of = (name: string, value: (round: (typeof rounds)[number]) => number, unit: string) => ({
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
    `${NODES} nodes and their bus / one node, processor time`,
    ({ one, several }) => (several.nodes + several.bus) / (one.nodes + one.bus),
    '',
  )
  return [
    of('one node', ({ one }) => one.perSecond, 'messages/s'),
    of(`${NODES} nodes`, ({ several }) => several.perSecond, 'messages/s'),
    of('processor time of one node', ({ one }) => one.nodes, 'µs/message'),
    of(`processor time of ${NODES} nodes`, ({ several }) => several.nodes, 'µs/message'),
    of('processor time of their NATS', ({ several }) => several.bus, 'µs/message'),
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

async function carry({ all, pairs }: Place): Promise<Carried> {
  let count = 0
  let running = true
  const isRunning = (): boolean => running
  for (const pair of pairs) pair.onText = () => void (count += 1)
  const write = async (pair: Pair): Promise<void> => {
    while (isRunning()) await pair.send(sentence())
  }
  const used = (): Record<'nodes' | 'bus' | 'store', number> => ({
    nodes: all.nodes.reduce((sum, { program }) => sum + cpuSeconds(program.pid), 0),
    bus: cpuSeconds(all.nats.pid),
    store: cpuSecondsOfChildren(all.postgres.pid),
  })
  const writers = pairs.flatMap((pair) => Array.from({ length: WINDOW }, () => write(pair)))
  const [start, before] = [performance.now(), used()]
  await delay(ROUND_MS)
  const [seconds, after, carried] = [(performance.now() - start) / 1_000, used(), count]
  running = false
  await Promise.all(writers)
  const each = (part: 'nodes' | 'bus' | 'store'): number => ((after[part] - before[part]) * 1e6) / carried
  return { perSecond: carried / seconds, nodes: each('nodes'), bus: each('bus'), store: each('store') }
}
