/** What it costs that two parties are at two nodes, beside the same at one node and a service without a bus. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pushes, RelayFrame } from '../../protocol/index.ts'
import { EmbeddedCluster } from '../../service/src/store/embedded-cluster.ts'
import { NatsServer } from '../../test/support/nats-server.ts'
import { joinBoth } from '../../test/support/parties.ts'
import type { Place } from '../../test/support/parties.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { atLeast, atMost, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { startGround } from './ground.ts'
import type { Ground } from './ground.ts'
import { many, sentAt, sentence, servicePair } from './pairs.ts'
import type { Pair } from './pairs.ts'

const PAIRS = 16
/** Messages of a pair that are not confirmed yet. */
const WINDOW = 8
const ROUNDS = 7
const ROUND_MS = 2_000
/** One way: so many a second. */
const RATE_PER_S = 100
const FRAME_BYTES = 16_384
const FRAME_ALLOWED_MS = 1
const TEXT_ALLOWED_MS = 1.5
const PART_WITH_BUS = 0.9

type Way = 'same' | 'across'

/** A text or a frame on its way, and when it was sent. */
interface Line {
  readonly send: () => Promise<unknown>
  onArrived: (ms: number) => void
}

export async function nodes(): Promise<readonly Figure[]> {
  const data = temporaryData()
  const [cluster, nats] = [await EmbeddedCluster.start(data.folder), await NatsServer.start()]
  const { host, user } = cluster.connection('postgres')
  const shared = [
    ...['--database-url', `postgres://${user}@localhost/postgres?host=${host}`],
    ...['--bus', `nats://127.0.0.1:${nats.port}`],
  ]
  const [a, b] = [await startGround(...shared), await startGround(...shared)]
  const alone = await startGround()
  try {
    return await measure(a, b, alone)
  } finally {
    for (const ground of [alone, b, a]) await ground.stop()
    await nats.stop()
    await cluster.stop()
    data.remove()
  }
}

async function measure(a: Ground, b: Ground, alone: Ground): Promise<readonly Figure[]> {
  const places: Record<Way, Place> = { same: a, across: { visitor: a.visitor, agent: b.agent } }
  const frames = { same: await frameLine(places.same), across: await frameLine(places.across) }
  const texts = { same: await textLine(places.same), across: await textLine(places.across) }
  const [bus, none] = [await many(PAIRS, () => servicePair(a)), await many(PAIRS, () => servicePair(alone))]
  const rounds = []
  for (let round = 0; round <= ROUNDS; round += 1)
    rounds.push({
      frame: { same: await onWay(frames.same), across: await onWay(frames.across) },
      text: { same: await onWay(texts.same), across: await onWay(texts.across) },
      none: await carried(none),
      bus: await carried(bus),
    })
  // The first one warms up.
  const measured = rounds.slice(1)
  const of = (value: (round: (typeof measured)[number]) => number): number => median(measured.map(value))
  const ms = (name: string, value: number) => ({ name, value, unit: 'ms' })
  const frame = ms(
    'frame of 16 KiB at one node, one way, p50',
    of((each) => each.frame.same),
  )
  const text = ms(
    'text at one node, one way, p50',
    of((each) => each.text.same),
  )
  return [
    frame,
    atMost(
      ms(
        'the same across nodes',
        of((each) => each.frame.across),
      ),
      frame.value + FRAME_ALLOWED_MS,
    ),
    text,
    atMost(
      ms(
        'the same across nodes',
        of((each) => each.text.across),
      ),
      text.value + TEXT_ALLOWED_MS,
    ),
    { name: 'texts without a bus', value: of((each) => each.none), unit: 'messages/s' },
    { name: 'texts with the bus, on one node', value: of((each) => each.bus), unit: 'messages/s' },
    atLeast(
      { name: 'with the bus / without', value: of((each) => each.bus / each.none), unit: '' },
      PART_WITH_BUS,
    ),
  ]
}

async function frameLine(place: Place): Promise<Line> {
  const { visitor, agent, id } = await joinBoth(place)
  const body = 'x'.repeat(FRAME_BYTES - 64)
  let n = 0
  const line: Line = {
    send: () => {
      const frame: RelayFrame = { n: (n += 1), ack: 0, kind: 'data', body: `${performance.now()} ${body}` }
      return visitor.client.call('relay.send', {
        ...{ contact: id, session: visitor.session.id, to: agent.session.id, frame },
      })
    },
    onArrived: () => {},
  }
  agent.client.socket.offAny().on('relay.frame', ({ frame }: Pushes['relay.frame']) => {
    line.onArrived(performance.now() - sentAt(frame.body as string))
  })
  return line
}

async function textLine(place: Place): Promise<Line> {
  const pair = await servicePair(place)
  const line: Line = { send: () => pair.send(sentence()), onArrived: () => {} }
  pair.onText = (text) => line.onArrived(performance.now() - sentAt(text))
  return line
}

/** Median of a round, in milliseconds. */
async function onWay(line: Line): Promise<number> {
  const times: number[] = []
  line.onArrived = (ms) => times.push(ms)
  const sent: Promise<unknown>[] = []
  const start = performance.now()
  while (performance.now() - start < ROUND_MS) {
    sent.push(line.send())
    await delay(1_000 / RATE_PER_S)
  }
  await Promise.all(sent)
  while (times.length < sent.length) await delay(1)
  return median(times)
}

/** Texts a second, as fast as they are confirmed. */
async function carried(pairs: readonly Pair[]): Promise<number> {
  let count = 0
  const end = performance.now() + ROUND_MS
  const write = async (pair: Pair): Promise<void> => {
    while (performance.now() < end) {
      await pair.send(sentence())
      count += 1
    }
  }
  await Promise.all(pairs.flatMap((pair) => Array.from({ length: WINDOW }, () => write(pair))))
  return (count * 1_000) / ROUND_MS
}
