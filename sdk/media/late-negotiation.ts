import { copyOf } from '../../protocol/index.ts'
import type { Clock, ContactError, SharedState } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import { atOnce } from '../async/at-once.ts'
import { contain } from '../async/contain.ts'
import { loaded } from '../async/lazy-module.ts'
import { LoadAgain } from '../async/load-again.ts'
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
  /** Of an entry after which others tell all of it again: of many, the oldest are not told. */
  readonly isRepeated?: boolean
}

/** So many entries wait at most that others tell again. */
const MOST = 1_000

export interface LateNegotiationOptions {
  readonly clock: Clock
  readonly log: Log
  readonly delivery: Delivery
  /** As the log says it now. */
  readonly shared: () => SharedState
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/**
 * The negotiation of a contact, whose code is loaded when it is needed for the first time. What it is to be
 * told before waits, in order, and so do the events of what it reads.
 *
 *   not needed ─need, ask─▶ loading ─code─▶ there
 *     ▲   ▲                  │   ▲           ▲
 *     │   └─ nothing waits ──┤   └─ time ─┐  │ code that comes after its limit
 *     └─ forget              └─ failed ─▶ paused
 */
export class LateNegotiation {
  readonly #options: LateNegotiationOptions
  readonly #make: (code: Code) => Negotiation
  readonly #onMade: (now: Negotiation, from: SharedState | null) => void
  readonly #again: LoadAgain
  #now: Negotiation | null = null
  #waiting: Waiting[] = []
  /** The shared state that it goes on from; null while nothing needs it. */
  #from: SharedState | null = null
  #isLoading = false

  /** `onMade`: before it is told anything; `from`: what it goes on from, where something needs it. */
  constructor(
    options: LateNegotiationOptions,
    make: (code: Code) => Negotiation,
    onMade: (now: Negotiation, from: SharedState | null) => void,
  ) {
    this.#options = options
    this.#again = new LoadAgain(options, () => this.#load())
    this.#make = make
    this.#onMade = onMade
  }

  /** Null until the code is there. */
  get now(): Negotiation | null {
    return this.#now
  }

  /** Whether it is there, or something waits that needs it. */
  get isNeeded(): boolean {
    return this.#now !== null || this.#from !== null
  }

  /** It is needed, and goes on from `from`. Code that did not come is not asked for again at once. */
  need(from = this.#options.shared()): void {
    this.#from ??= from
    this.#again.ask()
  }

  /** Tells it, now or in its turn. */
  tell(run: (negotiation: Negotiation) => void): void {
    if (this.#now) run(this.#now)
    else this.#waiting.push({ run })
  }

  /** Tells it of an entry; `isRepeated`: later ones tell all of it again. */
  tellEntry(run: (negotiation: Negotiation) => void, isRepeated: boolean): void {
    if (this.#now) run(this.#now)
    else this.#keep({ run, isRepeated })
  }

  /**
   * As `tellEntry`. The events that come of it have their place among the others, and these wait, until the
   * code has failed.
   */
  tellInPlace(run: (negotiation: Negotiation) => void, isRepeated: boolean): void {
    if (this.#now || this.#again.hasFailed) return this.tellEntry(run, isRepeated)
    let emit = this.#options.delivery.place()
    this.#keep({
      isRepeated,
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
    this.#from ??= this.#options.shared()
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
    if (this.#waiting.length > 0) return
    this.#from = null
    this.#again.rest()
  }

  #keep(entry: Waiting): void {
    this.#waiting.push(entry)
    const repeated = this.#waiting.filter(({ isRepeated }) => isRepeated)
    if (repeated.length <= MOST) return
    repeated[0]?.release?.()
    this.#waiting = this.#waiting.filter((each) => each !== repeated[0])
  }

  /** Code that comes after its limit is good as well. */
  #load(): void {
    if (this.#now || this.#isLoading) return
    if (here.negotiation) return this.#begin(here.negotiation)
    this.#isLoading = true
    const begun = later.negotiation().then((code) => this.#begin(code))
    loaded('negotiate media', begun, this.#options).catch((error: ContactError) => this.#failed(error))
  }

  #begin(code: Code): void {
    const { delivery, over } = this.#options
    if (this.#now) return
    if (over.aborted) this.forget()
    const now = (this.#now = this.#make(code))
    delivery.batch(() => {
      contain(() => this.#onMade(now, this.#from))
      for (const { run } of this.#waiting.splice(0)) contain(() => run(now))
    })
  }

  #failed(error: ContactError): void {
    const { delivery, log, over } = this.#options
    const isFirst = !this.#again.hasFailed
    this.#isLoading = false
    for (const { release, reject } of this.#waiting) {
      release?.()
      reject?.(error)
    }
    this.#waiting = this.#waiting.filter(({ reject }) => !reject)
    const isNeeded = this.#waiting.length > 0 && !over.aborted
    if (!isNeeded) this.#from = null
    this.#again.failed(isNeeded)
    if (over.aborted) return
    log.warn('code could not be loaded', { operation: 'negotiate media' })
    if (isNeeded && isFirst) delivery.emit('error', error)
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
