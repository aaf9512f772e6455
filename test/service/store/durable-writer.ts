import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Draft, Entry } from '../../../protocol/index.ts'
import { ContactError } from '../../../protocol/index.ts'
import { CAPABILITIES, HOLDS, WireClient } from '../../support/wire-client.ts'

interface WriterParts {
  readonly url: string
  readonly token: string
  readonly contact: string
  readonly name: string
}

const RETRY_MS = 50
const LIMIT_MS = 30_000

/**
 * One page that writes without end, reconnects by itself, sends again what was not acknowledged, and keeps
 * all that it saw.
 */
export class DurableWriter {
  readonly contact: string
  readonly session = `s-${randomUUID()}`
  /** What the service has acknowledged: number by message id, in the order of writing. */
  readonly acks = new Map<string, number>()
  /** Entries as they arrived, over all connections. */
  readonly seen: Entry[] = []
  /** Calls and connections that failed, to be made again. */
  failures = 0
  client: WireClient | null = null
  readonly #parts: WriterParts
  #pending: Draft[] = []
  #counter = 0
  #stopping = false
  #running: Promise<void> = Promise.resolve()

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.contact = parts.contact
  }

  get count(): number {
    return this.acks.size
  }

  async start(): Promise<void> {
    this.#draft('present', { capabilities: CAPABILITIES, media: HOLDS, after: null })
    this.#running = this.#run()
    await this.acknowledged(1)
  }

  async acknowledged(count: number): Promise<void> {
    await until(
      () => this.count >= count,
      `${this.#parts.name}: ${count} acknowledgements, has ${this.count}`,
    )
  }

  async failed(count: number): Promise<void> {
    await until(() => this.failures >= count, `${this.#parts.name}: ${count} failures, has ${this.failures}`)
  }

  /** Writes no more, and waits until everything is acknowledged. */
  async finish(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  /** Reads up to `head`. */
  async reach(head: number): Promise<void> {
    await until(() => (this.seen.at(-1)?.seq ?? 0) >= head, `${this.#parts.name}: the log up to ${head}`)
  }

  close(): void {
    this.client?.close()
  }

  async #run(): Promise<void> {
    while (!this.#stopping || this.#pending.length > 0) {
      try {
        const client = this.client?.socket.connected ? this.client : await this.#connect()
        if (this.#pending.length === 0)
          for (let count = 0; count < 5; count += 1)
            this.#draft('text', { text: `${this.#parts.name} ${this.#counter}` })
        const { appended } = await client.call('log.append', {
          contact: this.contact,
          session: this.session,
          drafts: this.#pending,
        })
        for (const each of appended) {
          if ('error' in each) throw new Error(`refused: ${each.error.code} ${each.error.message}`)
          this.acks.set(each.id, each.seq)
        }
        this.#pending = []
      } catch (thrown) {
        if (thrown instanceof ContactError && thrown.code !== 'offline') throw thrown
        if (thrown instanceof Error && thrown.message.startsWith('refused: ')) throw thrown
        this.failures += 1
        await delay(RETRY_MS)
      }
    }
  }

  async #connect(): Promise<WireClient> {
    const client = await WireClient.connect(this.#parts.url, this.#parts.token)
    client.onPush = (push) => {
      if (push.name === 'log.entries' && this.client === client) this.seen.push(...push.body.entries)
    }
    this.client?.close()
    this.client = client
    await client.call('contact.open', {
      contact: this.contact,
      session: this.session,
      cursor: this.seen.at(-1)?.seq ?? 0,
    })
    return client
  }

  #draft<T extends 'text' | 'present'>(type: T, body: Extract<Draft, { type: T }>['body']): void {
    this.#counter += 1
    this.#pending.push({
      id: randomUUID(),
      session: this.session,
      counter: this.#counter,
      type,
      body,
    } as Draft)
  }
}

async function until(test: () => boolean, what: string): Promise<void> {
  const limit = Date.now() + LIMIT_MS
  while (!test()) {
    if (Date.now() > limit) throw new Error(`nothing came: ${what}`)
    await delay(5)
  }
}

/**
 * C1 to C4: what was acknowledged is there once, at its number, in the order of writing, and everyone saw the
 * same.
 */
export async function checkHistory(writers: readonly DurableWriter[]): Promise<void> {
  const head = Math.max(...writers.flatMap((writer) => [...writer.acks.values()]))
  await Promise.all(writers.map((writer) => writer.reach(head)))
  const [first, ...others] = writers.map((writer) => writer.seen.filter(({ seq }) => seq <= head))
  if (!first) throw new Error('there is no history')
  first.forEach(({ seq }, index) => {
    if (seq !== index + 1) throw new Error(`entry ${index + 1} has the number ${seq}`)
  })
  for (const other of others)
    if (JSON.stringify(other) !== JSON.stringify(first)) throw new Error('two parties saw different logs')
  if (new Set(first.map(({ id }) => id)).size !== first.length) throw new Error('an entry is there twice')
  const numbers = new Map(first.map(({ id, seq }) => [id, seq]))
  for (const writer of writers) {
    for (const [id, seq] of writer.acks)
      if (numbers.get(id) !== seq) throw new Error(`the acknowledged entry ${seq} is lost or elsewhere`)
    const own = first.flatMap((entry) =>
      'session' in entry && entry.session === writer.session ? [entry.counter] : [],
    )
    if (own.some((counter, index) => counter !== index + 1))
      throw new Error('the order of a session was changed')
  }
}
