/** What a test must see the end of: Promises, callbacks, operations of engines, captured devices. */
import { NativeEngine } from '../../engines/index.ts'
import type { EngineTransition, MediaEngine } from '../../engines/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { Clock, PartialMediaState } from '../../protocol/index.ts'
import { publicInterface } from '../../scripts/contact-interface.mjs'
import type { Contact } from '../../sdk/index.ts'
import { FakeDevices, FakeEngine } from '../../testing/index.ts'

const { operations, general } = publicInterface()
/** Codes of the interface as a whole that only a broken service or SDK gives. */
const NEVER = ['unauthorized', 'protocol', 'internal']
const CODES = new Map(
  operations.map(({ name, codes }) => [
    name,
    new Set([...codes, ...general].filter((code) => !NEVER.includes(code))),
  ]),
)

/** Every Promise and callback of the contract's operations: each ends once, as documented. */
export class PromiseLedger {
  readonly problems: string[] = []
  readonly #pending = new Map<number, string>()
  #count = 0

  /** What is not settled yet. */
  get pending(): readonly string[] {
    return [...this.#pending.values()]
  }

  /** Keeps account of a call's Promise. */
  promise(operation: keyof Contact, call: () => Promise<unknown>): void {
    const number = this.#begin(operation)
    const end = (error?: unknown): void => this.#end(operation, number, error)
    call().then(
      () => end(),
      (error: unknown) => end(error ?? 'nothing'),
    )
  }

  /** Keeps account of a call's callback. */
  callback(operation: keyof Contact, call: (callback: (error: unknown) => void) => unknown): void {
    const number = this.#begin(operation)
    call((error) => this.#end(operation, number, error ?? undefined))
  }

  #begin(operation: string): number {
    this.#pending.set(++this.#count, operation)
    return this.#count
  }

  #end(operation: string, number: number, error: unknown): void {
    if (!this.#pending.delete(number)) this.problems.push(`${operation} ended twice`)
    if (error === undefined) return
    if (!(error instanceof ContactError))
      this.problems.push(`${operation} failed with what is no ContactError`)
    else if (CODES.get(operation)?.has(error.code) !== true)
      this.problems.push(`${operation} failed with ${error.code}, which is not documented: ${error.message}`)
  }
}

/** An engine that notes which of its operations have ended. */
export class LedgerEngine extends FakeEngine {
  readonly devices: FakeDevices
  readonly open: string[] = []

  constructor(
    { id, media }: { readonly id: string; readonly media: readonly string[] },
    devices = new FakeDevices(),
  ) {
    super({ id, media, devices })
    this.devices = devices
  }

  override prepare(media: PartialMediaState = {}): Promise<void> {
    return this.#note('prepare', super.prepare(media))
  }

  override transit(transition: EngineTransition): Promise<void> {
    return this.#note('transit', super.transit(transition))
  }

  override undo(to: PartialMediaState): Promise<void> {
    return this.#note('undo', super.undo(to))
  }

  /** The engine breaks by itself: all that it carried is gone. */
  breakDown(): void {
    void this.stop()
    this.host?.report({ type: 'broke', error: new ContactError('engine_failed', 'the engine broke') })
  }

  async #note(operation: string, running: Promise<void>): Promise<void> {
    this.open.push(operation)
    try {
      await running
    } finally {
      this.open.splice(this.open.indexOf(operation), 1)
    }
  }
}

/** The engines of all pages of a test. */
export class EngineLedger {
  readonly all: LedgerEngine[] = []

  /** New engines for one contact of one page. */
  engines = (): readonly MediaEngine[] => {
    const engines = [
      new LedgerEngine({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'] }),
      new LedgerEngine({ id: 'Other', media: ['Video', 'Screen'] }),
    ]
    this.all.push(...engines)
    return [new NativeEngine(), ...engines]
  }

  /** Operations that ran at the same time as another. */
  get overlaps(): number {
    return this.all.reduce((sum, { overlaps }) => sum + overlaps, 0)
  }

  /** What engines still do, carry or hold. */
  get rest(): readonly string[] {
    return this.all.flatMap(({ open, carried, devices }, at) => [
      ...open.map((operation) => `${operation} of engine ${at} has not ended`),
      ...Object.keys(carried).map((medium) => `engine ${at} carries ${medium}`),
      ...devices.inUse.map((medium) => `engine ${at} captures ${medium}`),
    ])
  }
}

/** The timers that pages have set, apart from those of the service. */
export class TimerLedger {
  readonly #set = new Set<unknown>()

  get pending(): number {
    return this.#set.size
  }

  seenBy = (clock: Clock): Clock => ({
    now: () => clock.now(),
    setTimeout: (run, delayMs) => {
      const timer = clock.setTimeout(() => {
        this.#set.delete(timer)
        run()
      }, delayMs)
      this.#set.add(timer)
      return timer
    },
    clearTimeout: (timer) => {
      this.#set.delete(timer)
      clock.clearTimeout(timer)
    },
  })
}
