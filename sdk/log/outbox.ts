import { createActor, fromPromise } from 'xstate'
import { outboxMachine } from '../../machines/eager.ts'
import type { BatchOutcome, OutboxActor } from '../../machines/eager.ts'
import { ContactError, jsonBytes, toContactError, typesWith, within } from '../../protocol/index.ts'
import type { Appended, Draft, ErrorCode, UnsentEntry } from '../../protocol/index.ts'
import { until } from '../async/until.ts'
import { actorOptions } from '../client/clock.ts'
import type { Sendable } from '../crypto/interface.ts'
import { randomName } from '../values/random-id.ts'
import type { OutboxOptions } from './outbox-options.ts'
import { relativeToRemote } from './relative-to-remote.ts'
import {
  FAULTS,
  UNDECIDED,
  cancelledIn,
  isFullFor,
  isSealed,
  isUnderWay,
  waitingOf,
} from './waiting-entry.ts'
import type { AddOptions, Waiting } from './waiting-entry.ts'

const BATCH = 32
/**
 * What a line of 32 kbit/s carries in two seconds: the service answers each batch, and pings are answered
 * between two.
 */
const BATCH_BYTES = 8_192
const PAUSE_MS = 500
/** After so many faults an entry goes alone, so that it holds up no other one's outcome. */
const FAULTS_TOGETHER = 3
/** An entry that the service answers with faults for so long is refused, so that those behind it are sent. */
const FAULTY_MS = 60_000
/** A party that leaves waits for its messages as long as the service takes some of them within this time. */
const DRAIN_LIMIT_MS = 5_000
const PERSISTENT = typesWith('persists')
const FOLLOWING_TRANSFER = typesWith('followsTransfer')

/** What a session writes into the log: in order, without gaps, sent again until the service has stored it. */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #queue: Waiting[] = []
  readonly #actor: OutboxActor
  /** What this session has handed to the service and not read back, by id: its type. */
  readonly #written = new Map<string, string>()
  #counter = 0
  /** The service has counted differently. */
  #isOutOfStep = false
  /** Why nothing can be sent any more, once that is so. */
  #end = new ContactError('left', 'unable to send; the contact is over for this page')
  /** Why nothing can be sent until the channel is open again. */
  #refusal: ContactError | null = null

  constructor(options: OutboxOptions) {
    this.#options = options
    const machine = outboxMachine.provide({ actors: { send: fromPromise(() => this.#send()) } })
    this.#actor = createActor(machine, { id: `outbox ${options.contact}`, ...actorOptions(options) })
    this.#actor.subscribe(() => this.wake())
    this.#actor.start()
  }

  /**
   * Resolves with the sequence number once the entry is stored. Only messages find it full, and only of
   * messages: of acknowledgements there are no more than messages were read, and the media machine writes few.
   * @throws {@link ContactError} `withdrawn` — by its `signal`, before it was sent; `too_large`; why it is refused
   */
  add(entry: UnsentEntry, options: AddOptions = {}): Promise<number> {
    if (this.#isClosed()) return Promise.reject(this.#end)
    if (this.#refusal) return Promise.reject(this.#refusal)
    const bytes = jsonBytes(entry)
    if (isFullFor(this.#queue, entry, bytes))
      return Promise.reject(new ContactError('too_large', 'unable to send; too much waits already'))
    const { signal } = options
    const adding = new Promise<number>((resolve, reject) => {
      this.#queue.push(waitingOf(relativeToRemote(entry), { bytes, options, resolve, reject }))
      this.#dropCancelled()
      this.#keep()
      this.wake()
    })
    signal?.addEventListener('abort', this.#dropCancelled)
    return signal ? adding.finally(() => signal.removeEventListener('abort', this.#dropCancelled)) : adding
  }

  /** Whether this page has written an entry of its session that is read now, once. */
  wrote(id: string, type: string): boolean {
    const isOwn = this.#written.get(id) === type
    return this.#written.delete(id) && isOwn // §5
  }

  /** The entry was read in the log: it needs no sending any more. */
  stored(id: string, seq: number): void {
    const waiting = this.#queue.find(({ entry }) => entry.id === id)
    if (!waiting) return
    this.#remove(waiting)
    this.#keep()
    waiting.resolve(seq)
  }

  /** The entry was read in the log, under a key that counts no more: it is sent anew, from its place. */
  again(id: string): void {
    const waiting = this.#queue.find(({ entry }) => entry.id === id)
    if (!waiting) return
    waiting.entry = { ...waiting.entry, id: randomName() } // §5
    waiting.counter = waiting.key = null
    waiting.isStored = false
    waiting.options.onId?.(waiting.entry.id)
    this.#dropCancelled()
    this.#keep()
    this.wake()
  }

  /**
   * The channel is open: what waits is sent. `counter`: the last number of the session that the service has
   * stored.
   */
  resume = (counter?: number): void => {
    if (this.#isClosed()) return
    this.#refusal = null
    if (counter !== undefined && this.#actor.getSnapshot().matches('blocked')) this.#countFrom(counter)
    this.#actor.send({ type: 'channel.opened' })
  }

  /**
   * The service refuses this party: what waits fails, and so does what comes, until the channel is open
   * again.
   */
  refuse(error: ContactError): void {
    if (this.#isClosed()) return
    this.suspend()
    this.#refusal = error
    this.#refuse([...this.#queue], error)
  }

  /**
   * Resolves when nothing waits any more, nothing can be sent now, or the service takes nothing for a while.
   */
  async drained(): Promise<void> {
    const isDone = (): boolean =>
      !isUnderWay(this.#queue, this.#options.sealing) || !this.#actor.getSnapshot().matches('open')
    for (let before = Number.POSITIVE_INFINITY; !isDone() && this.#queue.length < before;) {
      before = this.#queue.length
      await within(until(this.#actor, isDone), { clock: this.#options.clock, ms: DRAIN_LIMIT_MS }).catch(
        () => {},
      )
    }
  }

  /** Whether the channel is not open: nothing is sent. */
  get isBlocked(): boolean {
    return this.#actor.getSnapshot().matches('blocked')
  }

  /** The channel is gone: what waits stays. */
  suspend = (): void => this.#actor.send({ type: 'channel.lost' })

  /** Another session goes on: messages wait for its channel, all else was said to a contact that is over. */
  startAnew(): void {
    this.suspend()
    this.#countFrom(0)
    for (const waiting of [...this.#queue]) {
      if (FOLLOWING_TRANSFER.includes(waiting.entry.type)) continue
      this.#remove(waiting)
      waiting.reject(new ContactError('left', 'unable to send; the contact is over for this page'))
    }
    this.#keep()
  }

  /** Nothing is sent any more; what waits is rejected, and stays kept for a later page. */
  close(error: ContactError): void {
    if (this.#isClosed()) return
    this.#actor.send({ type: 'outbox.close' })
    if (error.code !== 'left') this.#end = error
    for (const { reject } of this.#queue.splice(0)) reject(error)
  }

  /** Something may be sent now. */
  wake = (): void => {
    if (!this.#actor.getSnapshot().matches({ open: 'idle' })) return
    if (this.#mayGo().length > 0) this.#actor.send({ type: 'mail.waiting' })
  }

  #mayGo = (): readonly Waiting[] => this.#options.sealing?.going(this.#queue) ?? this.#queue

  #isClosed = (): boolean => this.#actor.getSnapshot().status !== 'active'

  #keep(): void {
    if (this.#isClosed()) return
    this.#options.keep(this.#queue.flatMap(({ entry }) => (PERSISTENT.includes(entry.type) ? [entry] : [])))
  }

  #remove(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting)
    if (index >= 0) this.#queue.splice(index, 1)
  }

  /** What may be on its way stays: the log tells whether it was stored. */
  #dropCancelled = (): void => {
    const cancelled = cancelledIn(this.#queue)
    for (const waiting of cancelled) {
      this.#remove(waiting)
      waiting.reject(new ContactError('withdrawn', 'unable to send; it was cancelled'))
    }
    if (cancelled.length > 0) this.#keep()
  }

  #countFrom(counter: number): void {
    this.#isOutOfStep = false
    this.#counter = counter
    for (const waiting of this.#queue) {
      waiting.counter = waiting.key = null
      waiting.isStored = false
    }
  }

  /** Sends the next batch and settles what is decided. Rejects where the outcome is unknown. */
  async #send(): Promise<BatchOutcome> {
    const { count, sealing } = this.#options
    // What is under way under another key is found in the log, or was not stored.
    if (this.#queue.some(({ key }) => key !== null && key !== sealing?.key)) this.#isOutOfStep = true
    if (this.#isOutOfStep && count) this.#countFrom(await count())
    this.#dropCancelled()
    const batch = this.#batch()
    if (batch.length === 0) return { retryAfterMs: null }
    const drafts = batch.map((waiting) => {
      const counter = (waiting.counter ??= ++this.#counter)
      const draft = { ...waiting.entry, session: this.#options.session(), counter }
      this.#written.set(draft.id, draft.type)
      if (isSealed(draft.type)) waiting.key = sealing?.key ?? null
      return draft
    })
    try {
      const sendable = drafts.map((draft) => (sealing ? sealing.seal(draft) : (draft as Sendable<Draft>)))
      return { retryAfterMs: this.#settle(batch, await this.#options.append(sendable)) }
    } catch (thrown) {
      const error = toContactError(thrown, 'internal', 'unable to send')
      if (!this.#isUndecided(error.code)) this.#refuse(batch, error)
      else if (!this.#isFaulty(batch[0], error)) {
        if (error.retryAfterMs === undefined) throw error
        return { retryAfterMs: error.retryAfterMs }
      }
      return { retryAfterMs: null }
    }
  }

  #batch(): Waiting[] {
    let bytes = 0
    const waiting = this.#mayGo()
    const most = (waiting[0]?.faults ?? 0) < FAULTS_TOGETHER ? BATCH : 1
    return waiting
      .slice(0, most)
      .filter((waiting, index) => (bytes += waiting.bytes) <= BATCH_BYTES || index === 0)
  }

  /** The pause that the service wants before the rest is sent; null for none. */
  #settle(batch: readonly Waiting[], appended: readonly Appended[]): number | null {
    for (const result of appended) {
      const waiting = batch.find(({ entry }) => entry.id === result.id)
      if ('error' in result && this.#isUndecided(result.error.code)) {
        this.#keep()
        const isDecided = this.#isFaulty(waiting, new ContactError(result.error.code, result.error.message))
        return isDecided ? null : (result.error.retryAfterMs ?? PAUSE_MS)
      }
      if (!waiting) continue
      waiting.isStored = 'seq' in result && waiting.key !== null && waiting.entry.type !== 'ack'
      if (waiting.isStored) continue
      this.#remove(waiting)
      if ('seq' in result) waiting.resolve(result.seq)
      else waiting.reject(new ContactError(result.error.code, result.error.message))
    }
    this.#keep()
    return null
  }

  /** A number that does not follow is given anew where the service can be asked for it. */
  #isUndecided = (code: ErrorCode): boolean =>
    UNDECIDED.has(code) && (code !== 'invalid_state' || this.#options.count !== undefined)

  /** Counts a fault that an entry was answered with. True: there were enough of them, and it is refused. */
  #isFaulty(waiting: Waiting | undefined, error: ContactError): boolean {
    if (!waiting || !FAULTS.has(error.code)) return false
    if (error.code === 'invalid_state') this.#isOutOfStep = true
    const now = this.#options.clock.now()
    if (waiting.faults++ === 0) waiting.faultySince = now
    if (now - waiting.faultySince < FAULTY_MS) return false
    this.#isOutOfStep = true
    this.#refuse([waiting], error)
    return true
  }

  /** The service took nothing of the batch, and never will: its numbers are free again. */
  #refuse(batch: readonly Waiting[], error: ContactError): void {
    const refused = batch.filter((waiting) => this.#queue.includes(waiting))
    if (!this.#isOutOfStep) this.#counter -= refused.length
    for (const waiting of refused) {
      this.#remove(waiting)
      waiting.reject(error)
    }
    this.#keep()
  }
}
