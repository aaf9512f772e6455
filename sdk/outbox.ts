import { ContactError, algebra, toContactError } from '../protocol/index.ts'
import type { Appended, Clock, Draft, Letter } from '../protocol/index.ts'

const { stripData, swap, swapOffer } = algebra
const BATCH = 32
const LONGEST_QUEUE = 1_000
const PAUSE_MS = 500
const MESSAGES: ReadonlySet<string> = new Set(['text', 'link', 'action', 'ack'])

/** The one place where media are turned round for the reader on the other side. */
function relativeToRemote(letter: Letter): Letter {
  switch (letter.type) {
    case 'offer':
      return { ...letter, body: { ...letter.body, offer: swapOffer(letter.body.offer) } }
    case 'direct':
      return { ...letter, body: { ...letter.body, target: swap(stripData(letter.body.target)) } }
    case 'answer':
      return { ...letter, body: { ...letter.body, answer: swap(stripData(letter.body.answer)) } }
    default:
      return letter
  }
}

interface Waiting {
  readonly draft: Draft
  readonly resolve: (seq: number) => void
  readonly reject: (error: ContactError) => void
}

export interface OutboxOptions {
  readonly session: string
  readonly clock: Clock
  /** Hands drafts to the service; rejects with `offline` or `timeout` where the outcome is unknown. */
  readonly append: (drafts: readonly Draft[]) => Promise<readonly Appended[]>
  /** Keeps the messages that are still to be sent over a page load. */
  readonly keep: (letters: readonly Letter[]) => void
}

/** What a session writes into the log: in order, without gaps, sent again until the service has stored it. */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #queue: Waiting[] = []
  #counter = 0
  #online = false
  #sending = false
  #timer: unknown = null
  #closed: ContactError | null = null

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** Resolves with the sequence number once the entry is stored. */
  add(letter: Letter): Promise<number> {
    if (this.#closed) return Promise.reject(this.#closed)
    if (this.#queue.length >= LONGEST_QUEUE) return Promise.reject(new ContactError('too_large', `unable to send; ${LONGEST_QUEUE} messages wait already`))
    return new Promise((resolve, reject) => {
      const draft = { ...relativeToRemote(letter), session: this.#options.session, counter: ++this.#counter } as Draft
      this.#queue.push({ draft, resolve, reject })
      this.#keep()
      this.#flush()
    })
  }

  /** The channel is open: what waits is sent. */
  resume(): void {
    this.#online = true
    this.#flush()
  }

  /** The channel is gone: what waits stays. */
  suspend(): void {
    this.#online = false
  }

  /** Nothing is sent any more; what waits is rejected. */
  close(error: ContactError): void {
    this.#closed = error
    this.#options.clock.clearTimeout(this.#timer)
    for (const { reject } of this.#queue.splice(0)) reject(error)
    this.#options.keep([])
  }

  #keep(): void {
    this.#options.keep(this.#queue.flatMap(({ draft: { id, type, body } }) => (MESSAGES.has(type) ? [{ id, type, body } as Letter] : [])))
  }

  #flush(): void {
    if (!this.#online || this.#sending || this.#queue.length === 0) return
    this.#sending = true
    const batch = this.#queue.slice(0, BATCH)
    void this.#options
      .append(batch.map(({ draft }) => draft))
      .then((appended) => this.#settle(appended))
      .catch((thrown: unknown) => this.#failed(batch, toContactError(thrown, 'internal', 'unable to send')))
      .finally(() => {
        this.#sending = false
        if (this.#timer === null) this.#flush()
      })
  }

  #settle(appended: readonly Appended[]): void {
    for (const result of appended) {
      if ('error' in result && (result.error.code === 'rate_limited' || result.error.code === 'offline')) {
        this.#pause(result.error.retryAfterMs)
        break
      }
      const index = this.#queue.findIndex(({ draft }) => draft.id === result.id)
      const [waiting] = index < 0 ? [] : this.#queue.splice(index, 1)
      if ('seq' in result) waiting?.resolve(result.seq)
      else waiting?.reject(new ContactError(result.error.code, result.error.message))
    }
    this.#keep()
  }

  #failed(batch: readonly Waiting[], error: ContactError): void {
    if (error.code === 'offline' || error.code === 'timeout' || error.code === 'rate_limited' || error.code === 'internal') return this.#pause()
    for (const waiting of batch) {
      const index = this.#queue.indexOf(waiting)
      if (index >= 0) this.#queue.splice(index, 1)
      waiting.reject(error)
    }
    this.#keep()
  }

  #pause(delayMs = PAUSE_MS): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = null
      this.#flush()
    }, delayMs)
  }
}
