import type { MessageFate, MessageUnderWay } from '../../testing/bus-bench.ts'
import type { Carrier, Delivery } from '../../service/src/bus/carrier.ts'
import { NoAnswerError } from '../../service/src/bus/carrier.ts'

/** Where messages to nodes are decided upon. */
export class MessageFates {
  decide: (message: MessageUnderWay) => MessageFate = () => 'pass'
  #held: (() => void)[] = []

  /** Hands a message over as it was decided. */
  pass(message: MessageUnderWay, hand: () => void): void {
    const fate = this.decide(message)
    if (fate === 'hold') this.#held.push(hand)
    else if (fate !== 'drop') hand()
    if (fate === 'twice') hand()
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const hand of held) hand()
  }
}

/** The end of a subject says for whom a message is. */
export function targetOf(subject: string): MessageUnderWay['target'] | null {
  if (subject.includes('.inbox.')) return null
  if (subject.endsWith('.all')) return 'all'
  return subject.endsWith('.relay') ? 'frames' : 'node'
}

/** A carrier that a test can cut, and whose messages it decides upon. */
export class BreakableCarrier implements Carrier {
  readonly #inner: Carrier
  readonly #node: string
  readonly #fates: MessageFates
  readonly #listeners = new Set<(isUp: boolean) => void>()
  #isCut = false

  constructor(inner: Carrier, node: string, fates: MessageFates) {
    this.#inner = inner
    this.#node = node
    this.#fates = fates
  }

  get isUp(): boolean {
    return this.#inner.isUp && !this.#isCut
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    return !this.#isCut && this.#inner.publish(subject, bytes)
  }

  request(subject: string, bytes: Uint8Array, limitMs: number): Promise<Uint8Array> {
    return this.#isCut
      ? Promise.reject(new NoAnswerError('down'))
      : this.#inner.request(subject, bytes, limitMs)
  }

  subscribe(subject: string, take: (delivery: Delivery) => void): void {
    const target = targetOf(subject) ?? 'node'
    this.#inner.subscribe(subject, (delivery) => {
      if (!this.#isCut) this.#fates.pass({ to: this.#node, target }, () => take(delivery))
    })
  }

  onStatus(run: (isUp: boolean) => void): void {
    this.#listeners.add(run)
  }

  ready(): Promise<void> {
    return this.#inner.ready()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  cut(on: boolean): void {
    if (this.#isCut === on) return
    this.#isCut = on
    for (const run of this.#listeners) run(!on)
  }
}
