/**
 * A page's surroundings where each thing happens only when a test says so: timers, engine operations, what is
 * sent and what is read.
 */
import type { EngineHost, EngineTransition, MediaEngine } from '../../../engines/index.ts'
import { ContactError } from '../../../protocol/index.ts'
import type {
  CallName,
  Calls,
  Clock,
  Draft,
  Entry,
  ErrorCode,
  Transport,
  TransportEvent,
} from '../../../protocol/index.ts'

interface Timer {
  readonly delayMs: number
  readonly run: () => void
}

/** Timers run one by one, whichever a test picks: limits of different machines need not be in step. */
export class PickClock implements Clock {
  readonly #timers = new Set<Timer>()

  now = (): number => 0

  setTimeout(run: () => void, delayMs: number): unknown {
    const timer = { run, delayMs }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** Runs the `nth` of the timers that were set for `delayMs`, in the order in which they were set. */
  run(delayMs: number, nth = 0): void {
    const timer = [...this.#timers].filter((one) => one.delayMs === delayMs)[nth]
    if (!timer)
      throw new Error(
        `no timer ${nth} of ${delayMs} ms is set, but ${[...this.#timers].map((one) => one.delayMs).join() || 'none'}`,
      )
    this.#timers.delete(timer)
    timer.run()
  }
}

type Operation = 'prepare' | 'transit' | 'undo'

/** An engine whose operations end when a test says so. */
export class StepEngine implements MediaEngine {
  readonly id = 'WebRTC'
  host: EngineHost | null = null
  /** It does not settle when it is aborted. */
  hangs = false
  #running: {
    readonly operation: Operation
    readonly resolve: () => void
    readonly reject: (error: ContactError) => void
  }[] = []

  capabilities = (): Promise<Readonly<Record<string, { readonly via: string }>>> =>
    Promise.resolve({ Voice: { via: 'net' }, Video: { via: 'net' } })
  attach = (host: EngineHost): void => void (this.host = host)
  prepare = (): Promise<void> => this.#begin('prepare')
  undo = (): Promise<void> => this.#begin('undo')
  receive = (): void => {}
  data = () => ({})

  transit({ signal }: EngineTransition): Promise<void> {
    signal.addEventListener('abort', () => {
      if (!this.hangs) this.end('transit', 'left', false)
    })
    return this.#begin('transit')
  }

  async stop(): Promise<void> {
    for (const { reject } of this.#running.splice(0)) reject(new ContactError('left', 'stopped'))
  }

  /** An operation ends: well, or with an error. `must`: it is an error of the test where none runs. */
  end(operation: Operation, code?: ErrorCode, must = true): void {
    const at = this.#running.findIndex((one) => one.operation === operation)
    const [running] = at < 0 ? [] : this.#running.splice(at, 1)
    if (!running && must)
      throw new Error(
        `no ${operation} runs, but ${this.#running.map((one) => one.operation).join() || 'nothing'}`,
      )
    if (code === undefined) running?.resolve()
    else running?.reject(new ContactError(code, 'the test says so'))
  }

  #begin(operation: Operation): Promise<void> {
    return new Promise((resolve, reject) => this.#running.push({ operation, resolve, reject }))
  }
}

/** Holds back what a page writes into the log and what it reads of it, one entry at a time. */
export class Gate {
  #isOpen = true
  /** What comes is read at once. */
  #reads = true
  #appends: ((howMany: number) => void)[] = []
  #leaving: (() => void) | null = null
  #entries: Entry[] = []
  #deliver: ((entries: readonly Entry[]) => void) | null = null

  close(): void {
    this.#isOpen = this.#reads = false
  }

  /** What is written waits, what comes is read, until the page has announced itself. */
  holdWriting(): void {
    this.#isOpen = false
  }

  /** Lets pass what waits, and all that comes. */
  open(): void {
    this.#isOpen = this.#reads = true
    this.#deliver?.(this.#entries.splice(0))
    for (const go of this.#appends.splice(0)) go(Number.POSITIVE_INFINITY)
    this.#leaving?.()
  }

  /** The first draft that waits is stored. */
  send(): void {
    const go = this.#appends.shift()
    if (!go) throw new Error('nothing waits to be stored')
    go(1)
  }

  /** The service hears that the page leaves. */
  leave(): void {
    if (!this.#leaving) throw new Error('the page does not leave')
    this.#leaving()
  }

  /** Everything up to the first entry that fits is read. */
  read(fits: (entry: Entry) => boolean): void {
    const at = this.#entries.findIndex(fits)
    if (at < 0)
      throw new Error(
        `it is not there to be read, but ${this.#entries.map(({ type }) => type).join() || 'nothing'}`,
      )
    this.#deliver?.(this.#entries.splice(0, at + 1))
  }

  through(transport: Transport): Transport {
    return {
      connect: (onEvent) => {
        const connection = transport.connect((event) => this.#heard(event, onEvent))
        return {
          call: (name, args) => this.#call(name, args, (all) => connection.call(name, all)),
          close: () => connection.close(),
        }
      },
    }
  }

  #heard(event: TransportEvent, onEvent: (event: TransportEvent) => void): void {
    if (this.#reads || event.type !== 'push' || event.push.name !== 'log.entries') return onEvent(event)
    const { contact, entries } = event.push.body
    this.#deliver = (some) =>
      onEvent({ type: 'push', push: { name: 'log.entries', body: { contact, entries: some } } })
    this.#entries.push(...entries)
  }

  async #call<N extends CallName>(
    name: N,
    args: Calls[N]['args'],
    pass: (args: Calls[N]['args']) => Promise<Calls[N]['result']>,
  ): Promise<Calls[N]['result']> {
    if (this.#isOpen) return pass(args)
    if (name === 'contact.leave') await new Promise<void>((resolve) => (this.#leaving = resolve))
    if (name !== 'log.append') return pass(args)
    this.#reads = false
    const howMany = await new Promise<number>((resolve) => this.#appends.push(resolve))
    const { drafts } = args as { readonly drafts: readonly Draft[] }
    return pass({ ...args, drafts: drafts.slice(0, howMany) })
  }
}
