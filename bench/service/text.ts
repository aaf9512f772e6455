/** How long a text is on its way, at a rate that a node of a large organisation has. */
import { setTimeout as delay } from 'node:timers/promises'
import { atMost, median, percentile } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { fsyncMs } from '../machine.ts'
import { startGround } from './ground.ts'
import { many, relayPair, sentAt, sentence, servicePair } from './pairs.ts'
import type { Pair } from './pairs.ts'
import { startRelay } from './relay.ts'

const PAIRS = 50
const RATE_PER_S = 500
const GAP_MS = 1_000 / RATE_PER_S
const BURST = 5
const ROUNDS = 5
const ROUND_MS = 3_000
const ALLOWED_MS = 2

/** When texts are due, in milliseconds from the start. */
type Arrivals = () => Generator<number, never>

/** People who write know nothing of each other: a Poisson process. */
const independent: Arrivals = function* arrivals() {
  for (let at = 0; ; at -= Math.log(1 - Math.random()) * GAP_MS) yield at
}

/** As many, but several in the same instant, and nothing in between. */
const inBursts: Arrivals = function* arrivals() {
  for (let count = 0; ; count += 1) yield Math.floor(count / BURST) * BURST * GAP_MS
}

interface Round {
  readonly bare: readonly number[]
  readonly durable: readonly number[]
  readonly bareBursts: readonly number[]
  readonly durableBursts: readonly number[]
  readonly fsync: number
}

export async function text(): Promise<readonly Figure[]> {
  const [ground, relay] = [await startGround(), await startRelay()]
  const durable = await many(PAIRS, () => servicePair(ground))
  const bare = await many(PAIRS, () => relayPair(relay))
  await onWay(durable, independent)
  await onWay(bare, independent)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({
      bare: await onWay(bare, independent),
      durable: await onWay(durable, independent),
      bareBursts: await onWay(bare, inBursts),
      durableBursts: await onWay(durable, inBursts),
      fsync: await fsyncMs(),
    })
  }
  for (const pair of [...durable, ...bare]) pair.close()
  relay.stop()
  await ground.stop()
  const medianOf = (times: (round: Round) => number): number => median(rounds.map(times))
  const ms = (name: string, times: (round: Round) => number) => ({ name, value: medianOf(times), unit: 'ms' })
  const relayed = ms(`bare relay, one way at ${RATE_PER_S}/s, p50`, ({ bare }) => median(bare))
  const fsync = ms('fsync of 8 KiB', (round) => round.fsync)
  return [
    relayed,
    ms('bare relay, p95', ({ bare }) => percentile(bare, 0.95)),
    fsync,
    ms(`bare relay, ${BURST} in the same instant, p50`, ({ bareBursts }) => median(bareBursts)),
    ms(`durable text, ${BURST} in the same instant, p50`, ({ durableBursts }) => median(durableBursts)),
    ms('durable text, p95', ({ durable: texts }) => percentile(texts, 0.95)),
    atMost(
      ms(`durable text, one way at ${RATE_PER_S}/s, p50`, ({ durable: texts }) => median(texts)),
      relayed.value + ALLOWED_MS + fsync.value,
    ),
  ]
}

/** Times from the sending to the other party, in milliseconds. */
async function onWay(pairs: readonly Pair[], arrivals: Arrivals): Promise<number[]> {
  const times: number[] = []
  const sent: Promise<void>[] = []
  for (const pair of pairs) pair.onText = (each) => times.push(performance.now() - sentAt(each))
  const start = performance.now()
  for (const due of arrivals()) {
    while (performance.now() - start < due) await delay(1)
    if (due > ROUND_MS) break
    sent.push(pairs[sent.length % pairs.length]?.send(sentence()) ?? Promise.resolve())
  }
  await Promise.all(sent)
  while (times.length < sent.length) await delay(1)
  return times
}
