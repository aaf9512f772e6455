import type { ServiceClock } from '../clock/clock.ts'
import { BUS_LIMITS } from './bus.ts'
import { NoAnswerError } from './carrier.ts'
import type { Carrier, Delivery, NoAnswer } from './carrier.ts'

type Take = (delivery: Delivery) => void

/** The driver in the process: nodes that share one exchange reach each other. A single node is alone on it. */
export class ProcessExchange {
  readonly #clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'>
  readonly #subscribers = new Map<string, Set<Take>>()

  constructor(clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'>) {
    this.#clock = clock
  }

  /** One connection to the exchange. */
  carrier(): Carrier {
    return new ProcessCarrier(this, this.#clock)
  }

  /** Subscribers of all connections to a subject. */
  of(subject: string): ReadonlySet<Take> {
    return this.#subscribers.get(subject) ?? new Set()
  }

  add(subject: string, take: Take): void {
    const takes = this.#subscribers.get(subject) ?? new Set()
    this.#subscribers.set(subject, takes.add(take))
  }

  delete(subject: string, take: Take): void {
    const takes = this.#subscribers.get(subject)
    takes?.delete(take)
    if (takes?.size === 0) this.#subscribers.delete(subject)
  }
}

class ProcessCarrier implements Carrier {
  readonly #exchange: ProcessExchange
  readonly #clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'>
  readonly #own: { readonly subject: string; readonly take: Take }[] = []
  /** Ends a request that waits. */
  readonly #waiting = new Set<() => void>()
  #unsentBytes = 0
  #isUp = true

  constructor(exchange: ProcessExchange, clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'>) {
    this.#exchange = exchange
    this.#clock = clock
  }

  get isUp(): boolean {
    return this.#isUp
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    return this.#send(subject, bytes, null)
  }

  request(subject: string, bytes: Uint8Array, limitMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#clock.clearTimeout(timer)
        this.#waiting.delete(fall)
        settle()
      }
      const fail = (reason: NoAnswer): void => end(() => reject(new NoAnswerError(reason)))
      const fall = (): void => fail('down')
      const timer = this.#clock.setTimeout(() => fail('silent'), limitMs)
      this.#waiting.add(fall)
      if (this.#exchange.of(subject).size === 0) fail('unknown')
      else if (!this.#send(subject, bytes, (answer) => end(() => resolve(answer))))
        fail(this.#isUp ? 'full' : 'down')
    })
  }

  subscribe(subject: string, take: Take): void {
    this.#own.push({ subject, take })
    this.#exchange.add(subject, take)
  }

  /** It never goes down by itself. */
  onStatus(): void {}

  ready(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#isUp = false
    for (const { subject, take } of this.#own) this.#exchange.delete(subject, take)
    for (const fall of this.#waiting) fall()
    return Promise.resolve()
  }

  /** In a task of its own, so that no publisher runs inside a subscriber. */
  #send(subject: string, bytes: Uint8Array, answer: Delivery['answer']): boolean {
    if (!this.#isUp || this.#unsentBytes + bytes.length > BUS_LIMITS.unsentBytes) return false
    this.#unsentBytes += bytes.length
    setImmediate(() => {
      this.#unsentBytes -= bytes.length
      const later = answer && ((reply: Uint8Array) => void setImmediate(() => answer(reply)))
      for (const take of this.#exchange.of(subject)) take({ bytes, answer: later })
    })
    return true
  }
}
