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
const ROUNDS = 5
const ROUND_MS = 3_000
const TICK_MS = 10
const ALLOWED_MS = 2

interface Round {
  readonly bare: readonly number[]
  readonly durable: readonly number[]
  readonly fsync: number
  /** The same where the disk rests before each, as it does between the texts. */
  readonly rested: number
}

export async function text(): Promise<readonly Figure[]> {
  const [ground, relay] = [await startGround(), await startRelay()]
  const durable = await many(PAIRS, () => servicePair(ground))
  const bare = await many(PAIRS, () => relayPair(relay))
  await onWay(durable)
  await onWay(bare)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ bare: await onWay(bare), durable: await onWay(durable), fsync: await fsyncMs(), rested: await fsyncMs(TICK_MS) })
  for (const pair of [...durable, ...bare]) pair.close()
  relay.stop()
  await ground.stop()
  const medianOf = (times: (round: Round) => number): number => median(rounds.map(times))
  const [relayMs, durableMs, syncMs] = [medianOf((each) => median(each.bare)), medianOf((each) => median(each.durable)), medianOf((each) => each.fsync)]
  return [
    { name: `bare relay, one way at ${RATE_PER_S}/s, p50`, value: relayMs, unit: 'ms' },
    { name: 'bare relay, p95', value: medianOf((each) => percentile(each.bare, 0.95)), unit: 'ms' },
    { name: 'fsync of 8 KiB', value: syncMs, unit: 'ms' },
    { name: `the same after ${TICK_MS} ms of rest, as the texts come`, value: medianOf((each) => each.rested), unit: 'ms' },
    { name: 'durable text, p95', value: medianOf((each) => percentile(each.durable, 0.95)), unit: 'ms' },
    atMost({ name: `durable text, one way at ${RATE_PER_S}/s, p50`, value: durableMs, unit: 'ms' }, relayMs + ALLOWED_MS + syncMs),
  ]
}

/** Times from the sending to the other party, in milliseconds. */
async function onWay(pairs: readonly Pair[]): Promise<number[]> {
  const times: number[] = []
  const sent: Promise<void>[] = []
  for (const pair of pairs) pair.onText = (each) => times.push(performance.now() - sentAt(each))
  const start = performance.now()
  while (performance.now() - start < ROUND_MS) {
    const due = Math.floor(((performance.now() - start) * RATE_PER_S) / 1_000)
    while (sent.length < due) sent.push(pairs[sent.length % pairs.length]?.send(sentence()) ?? Promise.resolve())
    await delay(TICK_MS)
  }
  await Promise.all(sent)
  while (times.length < sent.length) await delay(TICK_MS)
  return times
}
