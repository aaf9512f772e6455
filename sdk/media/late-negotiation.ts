import { copyOf } from '../../protocol/index.ts'
import type { Clock, ContactError } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import { atOnce } from '../async/at-once.ts'
import { reportThrown } from '../async/callbackify.ts'
import { PAUSE_MS, loaded } from '../async/lazy-module.ts'
import type { Delivery } from '../contact/event-queue.ts'
import { here, later } from '../contact/lazy-modules.ts'
import type { Negotiation } from './negotiation.ts'

type Code = NonNullable<typeof here.negotiation>

/** What the negotiation is to be told when its code is there. */
interface Waiting {
  readonly run: (negotiation: Negotiation) => void
  /** It keeps the events behind it no longer. */
  readonly release?: () => void
  /** Of an operation: it ends with the first failure. */
  readonly reject?: (error: ContactError) => void
}

export interface LateNegotiationOptions {
  readonly clock: Clock
  readonly log: Log
  readonly delivery: Delivery
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/**
 * The negotiation of a contact, whose code is loaded when it is needed for the first time. What it is to be
 * told before waits, in order, and so do the events of what it reads.
 */
export class LateNegotiation {
  readonly #options: LateNegotiationOptions
  readonly #make: (code: Code) => Negotiation
  readonly #onMade: (now: Negotiation) => void
  #now: Negotiation | null = null
  #waiting: Waiting[] = []
  #isNeeded = false
  #isLoading = false
  #failedAt = Number.NEGATIVE_INFINITY

  /** `onMade`: before it is told anything. */
  constructor(
    options: LateNegotiationOptions,
    make: (code: Code) => Negotiation,
    onMade: (now: Negotiation) => void,
  ) {
    this.#options = options
    this.#make = make
    this.#onMade = onMade
  }

  /** Null until the code is there. */
  get now(): Negotiation | null {
    return this.#now
  }

  /** Whether it is there, or something waits that needs it. */
  get isNeeded(): boolean {
    return this.#isNeeded
  }

  /** It is needed from now on. Code that did not come is not asked for again at once. */
  need(): void {
    this.#isNeeded = true
    if (this.#options.clock.now() - this.#failedAt >= PAUSE_MS) this.#load()
  }

  /** Tells it, now or in its turn. */
  tell(run: (negotiation: Negotiation) => void): void {
    if (this.#now) run(this.#now)
    else this.#waiting.push({ run })
  }

  /** As `tell`. Where it waits, the events that come of it have their place among the others. */
  tellInPlace(run: (negotiation: Negotiation) => void): void {
    if (this.#now) return run(this.#now)
    let emit = this.#options.delivery.place()
    this.#waiting.push({
      run: (negotiation) => emit(() => run(negotiation)),
      release: () => {
        emit(() => {})
        emit = (late) => late()
      },
    })
  }

  /**
   * An operation of the application: at once where the code is there, else when it is loaded, with copies of
   * the arguments.
   * @throws {@link ContactError} `offline`, `left`; what `run` throws
   */
  ask<A extends readonly unknown[], T>(
    args: readonly [...A],
    run: (negotiation: Negotiation, ...args: A) => T | Promise<T>,
  ): T | Promise<T> {
    this.#isNeeded = true
    this.#load()
    if (this.#now) return run(this.#now, ...args)
    const own = copied(args)
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run: (now) => resolve(atOnce(() => run(now, ...own))), reject })
    })
  }

  /** What waits is of no use any more, but for operations of the application. */
  forget(): void {
    for (const { release } of this.#waiting) release?.()
    this.#waiting = this.#waiting.filter(({ reject }) => reject)
    this.#isNeeded = this.#now !== null || this.#waiting.length > 0
  }

  /** Code that comes after its limit is good as well. */
  #load(): void {
    if (this.#now || this.#isLoading) return
    if (here.negotiation) return this.#begin(here.negotiation)
    this.#isLoading = true
    const code = later.negotiation()
    code.then((loadedCode) => this.#begin(loadedCode)).catch(() => {})
    loaded('negotiate media', code, this.#options)
      .catch((error: ContactError) => this.#failed(error))
      .finally(() => (this.#isLoading = false))
  }

  #begin(code: Code): void {
    const { delivery, over } = this.#options
    if (this.#now) return
    if (over.aborted) this.forget()
    const now = (this.#now = this.#make(code))
    delivery.batch(() => {
      contained(() => this.#onMade(now))
      for (const { run } of this.#waiting.splice(0)) contained(() => run(now))
    })
  }

  #failed(error: ContactError): void {
    const { clock, delivery, log, over } = this.#options
    this.#failedAt = clock.now()
    for (const { release, reject } of this.#waiting) {
      release?.()
      reject?.(error)
    }
    this.#waiting = this.#waiting.filter(({ reject }) => !reject)
    this.#isNeeded = this.#waiting.length > 0
    if (over.aborted) return
    log.warn('code could not be loaded', { operation: 'negotiate media' })
    if (this.#waiting.length > 0) delivery.emit('error', error)
  }
}

/** What fails keeps nobody from the next. */
function contained(run: () => void): void {
  try {
    run()
  } catch (thrown) {
    reportThrown(thrown)
  }
}

/** Arguments that cannot be read are refused where they are read. */
function copied<A>(args: A): A {
  try {
    return copyOf(args)
  } catch {
    return args
  }
}
