import type { Log } from './client.ts'
import { loaded } from './settle.ts'

export interface LoadedPartOptions<T> {
  /** Loads the code, and makes the part with it. */
  readonly load: () => Promise<T>
  /** What cannot be done without it, for the error. */
  readonly operation: string
  readonly log: Log
}

/** A part of a contact whose code is loaded when it is needed for the first time. */
export class LoadedPart<T> {
  readonly #options: LoadedPartOptions<T>
  #loading: Promise<T> | null = null
  #part: T | null = null
  /** What came before the code. */
  #waiting: ((part: T) => void)[] = []

  constructor(options: LoadedPartOptions<T>) {
    this.#options = options
  }

  /** Null until the code is there. */
  get now(): T | null {
    return this.#part
  }

  /** Loads it where that has not happened yet; a failure may be tried again. @throws {@link ContactError} `offline` */
  async get(): Promise<T> {
    try {
      return await (this.#loading ??= loaded(this.#options.operation, this.#load()))
    } catch (error) {
      this.#loading = null
      throw error
    }
  }

  /** Runs at once, or in order when the code is there. */
  with(run: (part: T) => void): void {
    if (this.#part) return run(this.#part)
    this.#waiting.push(run)
    const { log, operation } = this.#options
    this.get().catch(() => log.warn('code could not be loaded', { operation }))
  }

  /** What waits for the code is not wanted any more. */
  forgetWaiting(): void {
    this.#waiting = []
  }

  async #load(): Promise<T> {
    this.#part = await this.#options.load()
    for (const run of this.#waiting.splice(0)) run(this.#part)
    return this.#part
  }
}
