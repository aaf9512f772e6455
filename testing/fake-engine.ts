import { ContactError } from '../protocol/index.ts'
import type { ErrorCode, JsonValue, PartialMediaState } from '../protocol/index.ts'
import type { EngineHost, EngineTransition, MediaEngine } from '../engines/index.ts'

/** How a scripted operation goes: done, failed with a code, waiting until it is aborted, or (`freeze`) not even settling then. `stop` ends them all. */
export type FakeBehaviour = 'succeed' | 'hang' | 'freeze' | ErrorCode

export interface FakeEngineOptions {
  readonly id: string
  readonly media: readonly string[]
  /** Default `net`. */
  readonly via?: string
}

/** An engine without media: it does what a test scripts, and keeps a ledger of what it was asked. */
export class FakeEngine implements MediaEngine {
  readonly id: string
  readonly #options: FakeEngineOptions
  readonly #script: { [O in 'prepare' | 'transit' | 'undo']: FakeBehaviour[] } = { prepare: [], transit: [], undo: [] }
  /** What was called, in order. */
  readonly calls: string[] = []
  /** Media that the engine carries now. */
  carried: PartialMediaState = {}
  /** Operations that ran at the same time as another: must stay 0. */
  overlaps = 0
  host: EngineHost | null = null
  #running = 0
  #stopping = new AbortController()

  constructor(options: FakeEngineOptions) {
    this.id = options.id
    this.#options = options
  }

  /** The next call of `operation` behaves so; after the script, all succeed. */
  script(operation: 'prepare' | 'transit' | 'undo', ...behaviours: FakeBehaviour[]): this {
    this.#script[operation].push(...behaviours)
    return this
  }

  capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    const via = this.#options.via ?? 'net'
    return Promise.resolve(Object.fromEntries(this.#options.media.map((medium) => [medium, { via }])))
  }

  attach(host: EngineHost): void {
    this.host = host
  }

  prepare(): Promise<void> {
    return this.#run('prepare')
  }

  async transit({ to, signal }: EngineTransition): Promise<void> {
    await this.#run('transit', signal)
    this.carried = to
  }

  async undo(to: PartialMediaState): Promise<void> {
    await this.#run('undo')
    this.carried = to
  }

  receive(_data: JsonValue): void {
    this.calls.push('receive')
  }

  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return Object.fromEntries(Object.keys(this.carried).map((medium) => [medium, { slot: this.host?.slot ?? null }]))
  }

  stop(): Promise<void> {
    this.calls.push('stop')
    this.carried = {}
    this.#stopping.abort()
    this.#stopping = new AbortController()
    return Promise.resolve()
  }

  async #run(operation: 'prepare' | 'transit' | 'undo', signal?: AbortSignal): Promise<void> {
    this.calls.push(operation)
    if (++this.#running > 1) this.overlaps++
    const stopped = this.#stopping.signal
    try {
      const behaviour = this.#script[operation].shift() ?? 'succeed'
      if (behaviour === 'freeze') return await untilAborted(stopped)
      if (behaviour === 'hang') return await untilAborted(signal ? AbortSignal.any([signal, stopped]) : stopped)
      if (behaviour !== 'succeed') throw new ContactError(behaviour, `unable to ${operation}; the script says so`)
      signal?.throwIfAborted()
    } finally {
      this.#running--
    }
  }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new ContactError('left', 'unable to go on; the operation was cancelled'))))
