import type { KeyObject } from 'node:crypto'
import { ContactError } from '../../../protocol/index.ts'
import { BUS_LIMITS } from './bus.ts'
import type { Bus, BusFrame, BusHandlers, BusMessage, FrameAnswer, FrameResult, HintResult } from './bus.ts'
import { NoAnswerError } from './carrier.ts'
import type { Carrier, Delivery } from './carrier.ts'
import { FrameWindow } from './frame-window.ts'
import { ReceivedCounts, SentCounts } from './message-counts.ts'
import { answerScope, openMessage, openValue, sealMessage, sealValue, sealingKey } from './sealed-messages.ts'
import type { SealedMessage } from './sealed-messages.ts'

/** What a bus is made of. */
export interface NodeBusParts {
  /** Letters, digits, `_` and `-`; of one process life, never used again. */
  readonly node: string
  /** Separates deployments that share a server; of the same letters. */
  readonly deployment: string
  /** Secret of the deployment. */
  readonly key: string
  readonly hints: Carrier
  /** A connection of its own: a flood of frames must not cut off hints. */
  readonly frames: Carrier
  /** Milliseconds of the store's clock. */
  readonly now: () => number
  readonly handlers: BusHandlers
  readonly onFault: (thrown: unknown) => void
}

/** What is answered over the wire; without `value` the handler has failed. */
interface Answer {
  readonly value?: unknown
}

/** The kind that each bus answers by itself. */
const CHECK = 'bus.check'
/** The kind of a message that is a frame. */
const FRAME = 'bus.frame'

const offline = (why: string, cause?: unknown): ContactError =>
  new ContactError('offline', `unable to reach the node; ${why}`, { cause })

const isFull = (thrown: unknown): boolean =>
  thrown instanceof ContactError && thrown.cause instanceof NoAnswerError && thrown.cause.reason === 'full'

/** A {@link Bus} over any driver. */
export class NodeBus implements Bus {
  readonly node: string
  readonly #parts: NodeBusParts
  readonly #key: KeyObject
  readonly #sent = new SentCounts()
  /** By the end of a subject. */
  readonly #received = {
    node: new ReceivedCounts(true),
    all: new ReceivedCounts(false),
    frames: new ReceivedCounts(true),
  }
  readonly #window = new FrameWindow()
  #asked = 0
  #handled = 0
  #handledFrameBytes = 0
  #wasUp = true
  #closed = false

  private constructor(parts: NodeBusParts) {
    this.node = parts.node
    this.#parts = parts
    this.#key = sealingKey(parts.key)
    const { hints, frames } = parts
    hints.subscribe(this.#nodeSubject(this.node), (delivery) => this.#onMessage(delivery, 'node'))
    hints.subscribe(this.#allSubject, (delivery) => this.#onMessage(delivery, 'all'))
    frames.subscribe(this.#frameSubject(this.node), (delivery) => this.#onMessage(delivery, 'frames'))
    hints.onStatus(() => this.#onStatus())
    frames.onStatus(() => this.#onStatus())
  }

  /**
   * Subscribes, and asks itself over each connection.
   *
   * @throws ContactError `offline`
   */
  static async open(parts: NodeBusParts): Promise<NodeBus> {
    const bus = new NodeBus(parts)
    try {
      await Promise.all([parts.hints.ready(), parts.frames.ready()])
      await bus.#ask(parts.hints, bus.#nodeSubject(bus.node), { kind: CHECK, body: null })
      await bus.#ask(parts.frames, bus.#frameSubject(bus.node), { kind: CHECK, body: null })
    } catch (thrown) {
      await bus.close()
      throw thrown
    }
    return bus
  }

  get isUp(): boolean {
    return !this.#closed && this.#parts.hints.isUp && this.#parts.frames.isUp
  }

  hint(node: string, message: BusMessage): HintResult {
    return this.#hint(this.#nodeSubject(node), message)
  }

  hintAll(message: BusMessage): HintResult {
    return this.#hint(this.#allSubject, message)
  }

  async request(node: string, message: BusMessage): Promise<unknown> {
    if (this.#asked >= BUS_LIMITS.requests) throw offline('too many requests wait for an answer')
    this.#asked += 1
    try {
      return await this.#ask(this.#parts.hints, this.#nodeSubject(node), message)
    } finally {
      this.#asked -= 1
    }
  }

  async frame(node: string, frame: BusFrame): Promise<FrameResult> {
    const subject = this.#frameSubject(node)
    if (!this.isUp) return 'offline'
    const bytes = this.#seal(subject, { kind: FRAME, body: frame })
    if (!bytes) return 'too_large'
    if (!this.#window.take(node, frame.session, bytes.length)) return 'rate_limited'
    this.#sent.next(subject)
    try {
      return (await this.#answer(this.#parts.frames, subject, bytes)) as FrameAnswer
    } catch (thrown) {
      return isFull(thrown) ? 'rate_limited' : 'offline'
    } finally {
      this.#window.release(node, frame.session, bytes.length)
    }
  }

  forget(node: string): void {
    this.#sent.forget(this.#nodeSubject(node))
    this.#sent.forget(this.#frameSubject(node))
    for (const counts of Object.values(this.#received)) counts.forget(node)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#parts.hints.close(), this.#parts.frames.close()])
  }

  get #allSubject(): string {
    return `duolog.${this.#parts.deployment}.all`
  }

  #nodeSubject(node: string): string {
    return `duolog.${this.#parts.deployment}.n.${node}`
  }

  #frameSubject(node: string): string {
    return `${this.#nodeSubject(node)}.relay`
  }

  /** A hint that is not sent has its number all the same: the receiver notices that it misses one. */
  #hint(subject: string, message: BusMessage): HintResult {
    if (!this.isUp) {
      this.#sent.next(subject)
      return 'offline'
    }
    const bytes = this.#seal(subject, message)
    if (!bytes) return 'too_large'
    this.#sent.next(subject)
    return this.#parts.hints.publish(subject, bytes) ? 'sent' : 'full'
  }

  async #ask(carrier: Carrier, subject: string, message: BusMessage): Promise<unknown> {
    if (!this.isUp) throw offline('the bus is down')
    const bytes = this.#seal(subject, message)
    if (!bytes) throw new ContactError('too_large', 'unable to ask the node; the request is too large')
    this.#sent.next(subject)
    return this.#answer(carrier, subject, bytes)
  }

  async #answer(carrier: Carrier, subject: string, bytes: Uint8Array): Promise<unknown> {
    let reply: Uint8Array
    try {
      reply = await carrier.request(subject, bytes, BUS_LIMITS.answerMs)
    } catch (cause) {
      throw offline('it has not answered', cause)
    }
    const answer = openValue(this.#key, answerScope(bytes), reply) as Answer | undefined
    if (answer?.value === undefined) throw offline(answer ? 'it has failed' : 'its answer is not genuine')
    return answer.value
  }

  /** The bytes of the next message to a subject; null where it is too large. */
  #seal(subject: string, message: BusMessage): Uint8Array | null {
    const [count, at] = [this.#sent.following(subject), this.#parts.now()]
    const bytes = sealMessage(this.#key, subject, { ...message, from: this.node, count, at })
    return bytes.length > BUS_LIMITS.messageBytes ? null : bytes
  }

  #onStatus(): void {
    const isUp = this.isUp
    if (isUp && !this.#wasUp) this.#run(() => this.#parts.handlers.missed(null))
    this.#wasUp = isUp
  }

  #onMessage({ bytes, answer }: Delivery, target: 'node' | 'all' | 'frames'): void {
    if (this.#closed) return
    const subject = {
      node: this.#nodeSubject(this.node),
      all: this.#allSubject,
      frames: this.#frameSubject(this.node),
    }[target]
    const message = openMessage(this.#key, subject, bytes)
    if (!message || (target === 'all' && message.from === this.node)) return
    const counted = this.#received[target].take(message.from, message.count)
    if (counted === 'repeated') return
    if (counted === 'gap' && target !== 'frames') this.#run(() => this.#parts.handlers.missed(message.from))
    if (!answer) this.#run(() => this.#parts.handlers.hint(message.from, message))
    else void this.#handle(message, bytes.length).then((result) => this.#reply(bytes, answer, result))
  }

  /** What is answered; null: nothing. Nothing is awaited before a frame is handed over, for the order's sake. */
  async #handle(message: SealedMessage, size: number): Promise<Answer | null> {
    if (message.kind === CHECK) return { value: true }
    try {
      if (message.kind === FRAME) return await this.#handleFrame(message, size)
      return await this.#handleRequest(message)
    } catch (thrown) {
      // What cannot be answered now is no failure of this node.
      if (!(thrown instanceof ContactError)) this.#parts.onFault(thrown)
      return {}
    }
  }

  async #handleRequest(message: SealedMessage): Promise<Answer> {
    if (this.#handled >= BUS_LIMITS.requests) return {}
    this.#handled += 1
    try {
      return { value: (await this.#parts.handlers.request(message.from, message)) ?? null }
    } finally {
      this.#handled -= 1
    }
  }

  async #handleFrame({ from, at, body }: SealedMessage, size: number): Promise<Answer | null> {
    if (this.#parts.now() - at > BUS_LIMITS.frameAgeMs) return null
    if (this.#handledFrameBytes + size > BUS_LIMITS.handledFrameBytes) return { value: 'rate_limited' }
    this.#handledFrameBytes += size
    try {
      return { value: await this.#parts.handlers.frame(from, body as BusFrame) }
    } finally {
      this.#handledFrameBytes -= size
    }
  }

  #reply(request: Uint8Array, answer: (bytes: Uint8Array) => void, result: Answer | null): void {
    if (!result || !this.isUp) return
    const bytes = sealValue(this.#key, answerScope(request), result)
    const fits = bytes.length <= BUS_LIMITS.messageBytes
    this.#run(() => answer(fits ? bytes : sealValue(this.#key, answerScope(request), {})))
  }

  #run(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.#parts.onFault(thrown)
    }
  }
}
