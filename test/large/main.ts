/**
 * `npm run test:large`: the service over a million entries, 100,000 old contacts, 20,000 revocations, 500
 * waiting contacts with large forms and 200 agents. Fails where the event loop stands still for over 100 ms,
 * or a statement takes over 1 s.
 */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { DataCollection } from '../../protocol/index.ts'
import { joinAgent, queueVisitor } from '../support/parties.ts'
import type { Place } from '../support/parties.ts'
import { signInAgent, signInVisitor } from '../support/service.ts'
import { temporaryData } from '../support/temporary-data.ts'
import { WireClient } from '../support/wire-client.ts'
import type { Figures, Question } from './figures.ts'

const STALL_MS = 100
const STATEMENT_MS = 1_000
const AGENTS = 200
const CAPACITY = 50
const WAITING = 500
const PAIRS = 10
const RUN_MS = Number(process.env['DUOLOG_LARGE_S'] ?? 90) * 1_000

/** Forms as large as a frame allows. */
const LARGE: DataCollection = Array.from({ length: 10 }, (_, form) => ({
  name: `form${form}`,
  desc: 'A form',
  data: Array.from({ length: 20 }, (_each, field) => ({
    name: `field${field}`,
    desc: 'A field',
    type: 'text' as const,
    value: 'x'.repeat(400),
  })),
}))

/** The process of the service, and what it is asked. */
class Subject {
  readonly #child: ChildProcess
  readonly #waiting = new Map<
    number,
    { readonly settle: (value: unknown) => void; readonly failed: (cause: Error) => void }
  >()
  readonly url: Promise<string>
  #asked = 0

  constructor(program: string, folder: string) {
    this.#child = fork(program, [folder], { stdio: 'inherit' })
    this.url = new Promise((settle, failed) => {
      this.#child.on(
        'message',
        ({ url, id, value, error }: { url?: string; id?: number; value?: unknown; error?: string }) => {
          if (url !== undefined) return settle(url)
          const waiting = this.#waiting.get(id ?? 0)
          if (error === undefined) waiting?.settle(value)
          else waiting?.failed(new Error(error))
        },
      )
      this.#child.once('exit', (code) => failed(new Error(`the service ended with ${code}`)))
    })
  }

  ask<T>(question: Question): Promise<T> {
    return this.#send({ question })
  }

  query<T>(sql: string, ...values: readonly unknown[]): Promise<T[]> {
    return this.#send({ sql, values })
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }

  #send<T>(message: object): Promise<T> {
    const id = ++this.#asked
    return new Promise((settle, failed) => {
      this.#waiting.set(id, { settle: settle as (value: unknown) => void, failed })
      this.#child.send({ id, ...message })
    })
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function partiesOf(url: string): Promise<Place & { readonly all: WireClient[] }> {
  const all: WireClient[] = []
  const connect = async (token: string): Promise<WireClient> => {
    const client = await WireClient.connect(url, token)
    all.push(client)
    return client
  }
  return {
    all,
    visitor: async () => connect((await signInVisitor(url)).token),
    agent: async (nick = `Agent ${all.length}`) => connect((await signInAgent(url, nick)).token),
  }
}

/** So many more that wait as this one does. */
const copies = (subject: Subject, id: string, count: number) =>
  subject.query(
    `insert into contacts select (r).* from (
       select jsonb_populate_record(c, jsonb_build_object('id', c.id || '-' || n, 'visitor', c.visitor || n)) as r from contacts c, generate_series(1, $2::int) n where c.id = $1) copies`,
    id,
    count,
  )

async function run(subject: Subject): Promise<Figures> {
  const url = await subject.url
  say(`the service has started on what has piled up`)
  const place = await partiesOf(url)
  const pairs = await Promise.all(
    Array.from({ length: PAIRS }, async (_, index) => {
      const visitor = await queueVisitor(place)
      return { visitor, agent: await joinAgent(place, visitor.id, `Talking ${index}`) }
    }),
  )
  for (const { agent } of pairs) await agent.client.call('agent.presence', { state: 'paused' })
  const first = await queueVisitor(place, { data: LARGE })
  await copies(subject, first.id, WAITING - 1)
  for (let at = 0; at < AGENTS; at++)
    await (await place.agent(`Ready ${at}`)).call('agent.presence', { state: 'ready', capacity: CAPACITY })
  say(`${AGENTS} agents are ready, ${WAITING} contacts wait`)
  const until = performance.now() + RUN_MS
  const slow: number[] = []
  for (let round = 0; performance.now() < until; round++) {
    await Promise.all(
      pairs.map(async ({ visitor, agent }) => {
        const start = performance.now()
        await Promise.all([visitor.session.text('a question'), agent.session.text('an answer')])
        slow.push(performance.now() - start)
      }),
    )
    if (round === 20)
      await subject.query(
        "insert into revocations (subject, at) select 'new-' || n, $1::bigint from generate_series(1, 20000) n",
        Date.now(),
      )
    await delay(200)
  }
  const [left] = await subject.query<object>(
    'select (select count(*)::int from contacts where id like \'old-%\' and not messages_removed) as "old contacts with messages", (select count(*)::int from contacts where id like \'old-%\') as "old contacts", (select count(*)::int from offers) as offers',
  )
  say(`left: ${JSON.stringify(left)}; the slowest text took ${Math.round(Math.max(...slow))} ms`)
  const figures = await subject.ask<Figures>('figures')
  for (const client of place.all) client.close()
  await subject.ask('stop')
  return figures
}

const data = temporaryData()
const subject = new Subject(process.argv[2] ?? '', data.folder)
try {
  const { longestMs, longestBusyMs, turns, statements, slowest } = await run(subject)
  say(
    `event loop: ${turns} turns, the longest ${longestBusyMs} ms of work (${longestMs} ms by the clock; at most ${STALL_MS} ms of work)`,
  )
  say(`statements: ${statements}, the slowest (at most ${STATEMENT_MS} ms):`)
  for (const { ms, text } of slowest) say(`  ${ms} ms  ${text}`)
  process.exitCode = longestBusyMs > STALL_MS || (slowest[0]?.ms ?? 0) > STATEMENT_MS ? 1 : 0
  say(process.exitCode === 0 ? 'within its bounds' : 'NOT within its bounds')
} finally {
  subject.end()
  data.remove()
}
