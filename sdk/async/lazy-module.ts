import { ContactError, within } from '../../protocol/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import { LoadAgain } from './load-again.ts'

/** How long code may take to come. */
export const LOAD_LIMIT_MS = 30_000
/** What may wait for code: no well-behaved party sends more before it is answered. */
const LONGEST_QUEUE = 512

/** How long loading may take, and what ends it earlier. */
export interface Loading {
  readonly clock: Clock
  /** Nobody wants it any more. */
  readonly over?: AbortSignal
}

/**
 * A part of the SDK that is loaded when it is needed.
 * @throws {@link ContactError} `offline`; the reason of `over`, where that is aborted meanwhile
 */
export async function loaded<T>(operation: string, part: Promise<T>, { clock, over }: Loading): Promise<T> {
  const missing = (cause?: unknown): ContactError =>
    new ContactError('offline', `unable to ${operation}; its code could not be loaded`, { cause })
  const coming = part.catch((cause: unknown) => {
    throw missing(cause)
  })
  return within(coming, { clock, ms: LOAD_LIMIT_MS, over }, missing)
}

export interface LazyModuleOptions<T> extends Loading {
  /** Loads the code, and makes the part with it. */
  readonly load: () => Promise<T>
  /** What cannot be done without it, for the error. */
  readonly operation: string
  readonly log: Log
  /** What waits is of the moment: not wanted any more where the code does not come. */
  readonly isFleeting?: boolean
}

/** A part of a contact whose code is loaded when it is needed for the first time. */
export class LazyModule<T> {
  readonly #options: LazyModuleOptions<T>
  #loading: Promise<T> | null = null
  #part: T | null = null
  readonly #again: LoadAgain
  /** What came before the code. */
  #waiting: ((part: T) => void)[] = []

  constructor(options: LazyModuleOptions<T>) {
    this.#options = options
    this.#again = new LoadAgain(options, () => this.#loadForWaiting())
  }

  /** Null until the code is there. */
  get now(): T | null {
    return this.#part
  }

  /** Whether it is there, or something waits for it. */
  get isWanted(): boolean {
    return this.#part !== null || this.#waiting.length > 0
  }

  /**
   * Loads it where that has not happened yet; a failure may be tried again.
   * @throws {@link ContactError} `offline`; the reason of `over`
   */
  get(): Promise<T> {
    return (this.#loading ??= this.#begin())
  }

  /** Runs at once, or in order when the code is there. @throws {@link ContactError} `too_large` */
  with(run: (part: T) => void): void {
    if (this.#part) return run(this.#part)
    const { operation, isFleeting } = this.#options
    if (isFleeting && this.#again.isPause) return
    if (this.#waiting.length >= LONGEST_QUEUE)
      throw new ContactError('too_large', `unable to ${operation}; too much waits already`)
    this.#waiting.push(run)
    this.#again.ask()
  }

  /** What waits for the code is not wanted any more. */
  forgetWaiting(): void {
    this.#waiting = []
    this.#again.rest()
  }

  #loadForWaiting(): void {
    const { log, operation } = this.#options
    this.get().catch(() => log.warn('code could not be loaded', { operation }))
  }

  async #begin(): Promise<T> {
    const { operation, isFleeting } = this.#options
    try {
      return await loaded(operation, this.#load(), this.#options)
    } catch (error) {
      this.#loading = null
      if (isFleeting) this.forgetWaiting()
      this.#again.failed(this.#waiting.length > 0)
      throw error
    }
  }

  /** Code that comes after its limit is good as well: of several the first makes the part. */
  async #load(): Promise<T> {
    const part = await this.#options.load()
    this.#part ??= part
    this.#again.rest()
    for (const run of this.#waiting.splice(0)) run(this.#part)
    return this.#part
  }
}
