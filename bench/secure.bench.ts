/**
 * What encryption costs: messages, agreements and joins of secure contacts, by the budgets of encryption.md
 * section 10.
 */
import { AgentImpl } from '../sdk/agent/create-agent.ts'
import { pageClock } from '../sdk/client/clock.ts'
import { VisitorClient } from '../sdk/client/create-client.ts'
import { memoryStore } from '../sdk/client/page-storage.ts'
import { commitOf, deriveKey, keyPair, sharedSecret } from '../sdk/crypto/agreement.ts'
import { random } from '../sdk/crypto/bytes.ts'
import { parsePush } from '../protocol/index.ts'
import type { Entry, Transport } from '../protocol/index.ts'
import type { Contact } from '../sdk/index.ts'
import { MemoryService, TestClock } from '../testing/index.ts'
import { testEnvironment } from '../testing/test-contact.ts'
import { MADE_UP, readerOf, sealedTexts, stateOf } from '../test/support/made-up-entries.ts'
import { atLeast, atMost, median, showFigures } from './figures.ts'
import type { Figure } from './figures.ts'

const MESSAGES = 1_000
const ROUNDS = 7
const AGREEMENTS = 20
const JOINS = 15
/** One way between page and service. */
const ONE_WAY_MS = 25
/** What one side may spend on an agreement. */
const AGREEMENT_MS = 10
/** Six passes to the key, of which a plain join has four: ADR 0010, point 9. */
const KEY_PASSES = 6 / 4
const TEXT = 'x'.repeat(200)

/** Processor time of this process, milliseconds: other programs share the machine. */
async function cpuMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

async function medianCpu(run: () => unknown): Promise<number> {
  await run()
  const times: number[] = []
  while (times.length < ROUNDS) times.push(await cpuMs(run))
  return median(times)
}

/** As an agent's page reads a push of them: schemas, chain, seal, fields. */
function readAll(entries: readonly Entry[]): void {
  const reader = readerOf()
  for (const entry of entries) {
    const state = stateOf()
    if (!reader.check(entry, state)) throw new Error('an entry waits for a key')
    const read = reader.open({ entry, fact: { kind: 'none' }, before: state, after: state, answered: null })
    if (read.isUntold === true) throw new Error('an entry is not told')
  }
}

/** One side of an agreement: a key pair, the secret of both, and the schedule. */
function agree(): void {
  const [own, theirs] = [keyPair(random(32)), MADE_UP.pair.publicKey]
  const commit = commitOf('c', 'v', own.publicKey)
  const transcript = { contact: 'c', visitorSession: 'v', agentSession: 'a', commit, resumed: null }
  deriveKey(sharedSecret(own, theirs), { ...transcript, agentKey: theirs, visitorKey: own.publicKey })
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The way to a service with the time that a line takes, in order. */
const delayed = (sound: Transport): Transport => ({
  connect(onEvent) {
    const connection = sound.connect((event) => void setTimeout(() => onEvent(event), ONE_WAY_MS))
    return {
      close: () => connection.close(),
      call: async (name, args) => {
        await pause(ONE_WAY_MS)
        const result = await connection.call(name, args)
        await pause(ONE_WAY_MS)
        return result
      },
    }
  },
})

const environment = () => ({
  ...testEnvironment(new TestClock()),
  ...{ clock: pageClock, random: Math.random, openTabs: () => null },
  ...{ store: memoryStore(), tab: memoryStore() },
})

const isAgreed = (contact: Contact): boolean => contact.verification?.state === 'unverified'

/** From `join()` of the agent to its end, and to the key on both sides. */
async function joinMs(secure: boolean): Promise<{ readonly joined: number; readonly agreed: number }> {
  const service = new MemoryService(pageClock)
  const way = (party: Parameters<typeof service.transport>[0]): Transport => delayed(service.transport(party))
  const options = { service: 'http://localhost', token: 'memory' }
  const client = new VisitorClient(
    { ...options, transport: way({ slot: 'visitor', id: 'v' }) },
    environment(),
  )
  const console = new AgentImpl(
    { ...options, transport: way({ slot: 'agent', id: 'a', nick: 'Ada' }) },
    environment(),
  )
  const visitor = await client.createContact({ secure })
  await pause(4 * ONE_WAY_MS)
  const agent = await console.accept(visitor.id)
  const start = performance.now()
  const both = Promise.all(secure ? [visitor, agent].map(agreement) : [])
  await agent.join()
  const joined = performance.now() - start
  await both
  const agreed = performance.now() - start
  await Promise.all([client.close(), console.close()])
  return { joined, agreed }
}

const agreement = (contact: Contact): Promise<void> =>
  new Promise((resolve) => {
    if (isAgreed(contact)) return resolve()
    contact.on('verification', () => {
      if (isAgreed(contact)) resolve()
    })
  })

const entries = sealedTexts(MESSAGES, TEXT).flatMap((entry) => {
  const push = parsePush('log.entries', { contact: MADE_UP.contact, entries: [entry] })
  return push?.name === 'log.entries' ? push.body.entries : []
})
const written = await medianCpu(() => sealedTexts(MESSAGES, TEXT))
const read = await medianCpu(() => readAll(entries))
const agreements = await medianCpu(() => Array.from({ length: AGREEMENTS }, agree))
const plain: number[] = []
const joined: number[] = []
const agreed: number[] = []
for (let round = 0; round <= JOINS; round++) {
  const [bare, secure] = [await joinMs(false), await joinMs(true)]
  if (round === 0) continue
  plain.push(bare.joined)
  joined.push(secure.joined)
  agreed.push(secure.agreed)
}
const figures: readonly Figure[] = [
  atLeast(
    {
      name: 'texts of 200 B written, a second of processor time',
      value: (MESSAGES * 1_000) / written,
      unit: 'messages',
    },
    1_000,
  ),
  atLeast(
    {
      name: 'texts of 200 B read, a second of processor time',
      value: (MESSAGES * 1_000) / read,
      unit: 'messages',
    },
    1_000,
  ),
  atMost(
    { name: 'agreement, one side, processor time', value: agreements / AGREEMENTS, unit: 'ms' },
    AGREEMENT_MS,
  ),
  { name: `join of a plain contact, ${ONE_WAY_MS} ms one way`, value: median(plain), unit: 'ms' },
  atMost(
    { name: 'join of a secure contact, against that', value: median(joined) / median(plain), unit: 'times' },
    1.2,
  ),
  atMost(
    { name: 'key on both sides', value: median(agreed), unit: 'ms' },
    median(plain) * KEY_PASSES + AGREEMENT_MS,
  ),
]
console.log(`secure: medians of ${ROUNDS}, of joins ${JOINS}\n${showFigures(figures)}`)
// The service in memory has timers that end with its contacts, in minutes.
process.exit(figures.every(({ holds }) => holds !== false) ? 0 : 1)
