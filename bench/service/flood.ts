/** What a visitor who sends as fast as it can costs the others, at the rates of production. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { queueVisitor } from '../../test/support/parties.ts'
import type { WaitingVisitor } from '../../test/support/parties.ts'
import { signInVisitor } from '../../test/support/service.ts'
import { WireClient } from '../../test/support/wire-client.ts'
import { atMost, median, percentile } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { startGround } from './ground.ts'
import { many } from './pairs.ts'

/** The program as the one that floods. */
export const FLOODER = 'flooder'

const HEADERS = { origin: 'https://shop.example' }
const PRODUCTION = [
  '--mode',
  'production',
  '--origin',
  HEADERS.origin,
  '--agent-issuer',
  'bench',
  '--agent-audience',
  'duolog',
  '--agent-jwks',
  'http://127.0.0.1:9/jwks',
]

const VISITORS = 20
const ROUNDS = 3
/** A visitor may write 100 texts at once, and 100 a minute. */
const TEXTS = 20
const EVERY_MS = 250

const AT_ONCE = 50
const RECONNECT_MS = 500

interface Round {
  readonly quiet: number
  readonly flooded: number
  readonly refused: number
}

export async function flood(): Promise<readonly Figure[]> {
  const ground = await startGround(...PRODUCTION)
  const { url } = ground
  const visitors = await many(VISITORS, () => queueVisitor({ ...ground, visitor: () => signedIn(url) }))
  const { token } = await signInVisitor(url, HEADERS)
  await latencies(visitors.slice(0, 1))
  const rounds: Round[] = []
  while (rounds.length < ROUNDS) rounds.push(await compare(url, token, visitors))
  await ground.stop()
  const medianOf = (value: (round: Round) => number): number => median(rounds.map(value))
  return [
    { name: 'texts of others, p95, undisturbed', value: medianOf(({ quiet }) => quiet), unit: 'ms' },
    { name: 'texts of others, p95, during the flood', value: medianOf(({ flooded }) => flooded), unit: 'ms' },
    { name: 'refused calls of the flood', value: medianOf(({ refused }) => refused), unit: '/s' },
    atMost(
      { name: 'flooded / undisturbed', value: medianOf(({ quiet, flooded }) => flooded / quiet), unit: '' },
      2,
    ),
  ]
}

async function compare(url: string, token: string, visitors: readonly WaitingVisitor[]): Promise<Round> {
  const quiet = percentile(await latencies(visitors), 0.95)
  const flooder = fork(process.argv[1] ?? '', [FLOODER, url, token])
  await told(flooder)
  const start = performance.now()
  const flooded = percentile(await latencies(visitors), 0.95)
  const seconds = (performance.now() - start) / 1_000
  flooder.send('enough')
  const refused = Number(await told(flooder)) / seconds
  return { quiet, flooded, refused }
}

const told = (child: ChildProcess): Promise<unknown> => new Promise((settle) => child.once('message', settle))

async function signedIn(url: string): Promise<WireClient> {
  return WireClient.connect(url, (await signInVisitor(url, HEADERS)).token, { headers: HEADERS })
}

/** From a text to its acknowledgement, milliseconds: of all visitors, at different moments. */
async function latencies(visitors: readonly WaitingVisitor[]): Promise<number[]> {
  const times: number[] = []
  const write = async ({ session }: WaitingVisitor, index: number): Promise<void> => {
    await delay((EVERY_MS * index) / VISITORS)
    for (let text = 0; text < TEXTS; text += 1) {
      const start = performance.now()
      await session.text('x'.repeat(180))
      times.push(performance.now() - start)
      await delay(EVERY_MS)
    }
  }
  await Promise.all(visitors.map(write))
  return times
}

/** Floods until it is told that it is enough, and tells how often it was refused. */
export async function floodFor([url = '', token = '']: readonly string[]): Promise<void> {
  let refused = 0
  const enough = new AbortController()
  process.once('message', () => enough.abort())
  for (let told = false; !enough.signal.aborted; told = true) {
    const client = await WireClient.connect(url, token, { headers: HEADERS }).catch(() => null)
    if (!told) process.send?.('begins')
    if (client) await Promise.all(Array.from({ length: AT_ONCE }, () => press(client)))
    else await delay(RECONNECT_MS)
  }
  process.send?.(refused, () => process.exit())

  async function press(client: WireClient): Promise<void> {
    while (!enough.signal.aborted && client.socket.connected) {
      const reply = await client
        .ask('contact.create', { request: randomUUID(), contact: {} })
        .catch(() => null)
      if (reply?.ok === false) refused += 1
    }
    client.close()
  }
}
