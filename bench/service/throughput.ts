/** How many texts a node carries, when the parties send as fast as they are confirmed. */
import { setTimeout as delay } from 'node:timers/promises'
import { atLeast, median } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { cpuSeconds, cpuSecondsOfChildren, fsyncMs } from '../machine.ts'
import { startGround } from './ground.ts'
import type { Ground } from './ground.ts'
import { many, relayPair, sentence, servicePair } from './pairs.ts'
import type { Pair } from './pairs.ts'
import { startRelay } from './relay.ts'

const PAIRS = 64
/** Messages of a pair that are not confirmed yet. */
const WINDOW = 8
const ROUNDS = 5
const ROUND_MS = 3_000
const PART_OF_RELAY = 0.35

interface Carried {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

interface Round {
  readonly bare: Carried
  readonly durable: Carried & { readonly storeMicroseconds: number }
  readonly fsync: number
}

export async function throughput(): Promise<readonly Figure[]> {
  const [ground, relay] = [await startGround(), await startRelay()]
  const durable = await many(PAIRS, () => servicePair(ground))
  const bare = await many(PAIRS, () => relayPair(relay))
  await carry(durable, ground.pid)
  await carry(bare, relay.pid)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({
      bare: await carry(bare, relay.pid),
      durable: await carryDurably(durable, ground),
      fsync: await fsyncMs(),
    })
  for (const pair of [...durable, ...bare]) pair.close()
  relay.stop()
  await ground.stop()
  const medianOf = (value: (round: Round) => number): number => median(rounds.map(value))
  return [
    { name: 'bare relay', value: medianOf((each) => each.bare.perSecond), unit: 'messages/s' },
    { name: 'durable', value: medianOf((each) => each.durable.perSecond), unit: 'messages/s' },
    {
      name: 'processor time of the relay',
      value: medianOf((each) => each.bare.cpuMicroseconds),
      unit: 'µs/message',
    },
    {
      name: 'processor time of the service',
      value: medianOf((each) => each.durable.cpuMicroseconds),
      unit: 'µs/message',
    },
    {
      name: 'processor time of the store',
      value: medianOf((each) => each.durable.storeMicroseconds),
      unit: 'µs/message',
    },
    { name: 'fsync of 8 KiB', value: medianOf((each) => each.fsync), unit: 'ms' },
    atLeast(
      {
        name: 'durable / bare relay',
        value: medianOf((each) => each.durable.perSecond / each.bare.perSecond),
        unit: '',
      },
      PART_OF_RELAY,
    ),
  ]
}

async function carryDurably(pairs: readonly Pair[], { pid, storePid }: Ground): Promise<Round['durable']> {
  const before = cpuSecondsOfChildren(storePid)
  const carried = await carry(pairs, pid)
  const messages = (carried.perSecond * ROUND_MS) / 1_000
  return { ...carried, storeMicroseconds: ((cpuSecondsOfChildren(storePid) - before) * 1e6) / messages }
}

async function carry(pairs: readonly Pair[], pid: number): Promise<Carried> {
  let count = 0
  let running = true
  const isRunning = (): boolean => running
  for (const pair of pairs) {
    pair.onText = () => {
      count += 1
    }
  }
  const write = async (pair: Pair): Promise<void> => {
    while (isRunning()) await pair.send(sentence())
  }
  const writers = pairs.flatMap((pair) => Array.from({ length: WINDOW }, () => write(pair)))
  const [start, cpu] = [performance.now(), cpuSeconds(pid)]
  await delay(ROUND_MS)
  const [seconds, used, carried] = [(performance.now() - start) / 1_000, cpuSeconds(pid) - cpu, count]
  running = false
  await Promise.all(writers)
  return { perSecond: carried / seconds, cpuMicroseconds: (used * 1e6) / carried }
}
