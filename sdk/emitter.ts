import mitt from 'mitt'
import { ContactError } from '../protocol/index.ts'
import type { RequestCallback } from '../protocol/index.ts'
import { reportThrown } from './settle.ts'

/** mitt, whose declarations describe its default export for CommonJS only. */
const createEmitter = mitt as unknown as typeof mitt.default

/** `reply`: only for handlers of the application's own names. */
export type Handler = (payload: unknown, reply?: RequestCallback) => unknown

/** Handlers by the name of their event. One that throws disturbs no other. */
export class Emitter {
  readonly #mitt = createEmitter<Record<string, unknown>>()
  /** What was handed to `once`, by what is called in its place. */
  readonly #originals = new WeakMap<Handler, Handler>()
  readonly #onThrow: (name: string) => void

  /** `onThrow`: a handler of that event threw; the page is told as of any uncaught error. */
  constructor(onThrow: (name: string) => void) {
    this.#onThrow = onThrow
  }

  on(name: string, handler: Handler): void {
    requireHandler(handler)
    this.#mitt.on(name, handler)
  }

  off(name: string, handler?: Handler): void {
    const wrapped = this.#handlers(name).find((one) => one === handler || this.#originals.get(one) === handler)
    this.#mitt.off(name, handler && (wrapped ?? handler))
  }

  once(name: string, handler: Handler): void {
    requireHandler(handler)
    const wrapped: Handler = (...args) => {
      this.#mitt.off(name, wrapped)
      handler(...args)
    }
    this.#originals.set(wrapped, handler)
    this.#mitt.on(name, wrapped)
  }

  clear(): void {
    this.#mitt.all.clear()
  }

  /** Calls the handlers that there are now; tells whether there were any. `reply` also hears of one that throws, at once or later. */
  emit(name: string, payload: () => unknown, ...reply: readonly [RequestCallback?]): boolean {
    const handlers = this.#handlers(name)
    if (handlers.length === 0) return false
    const event = payload()
    for (const handler of handlers) this.#call(name, () => handler(event, ...reply), reply[0])
    return true
  }

  #handlers = (name: string): Handler[] => [...((this.#mitt.all.get(name) ?? []) as Handler[])]

  #call(name: string, run: () => unknown, reply?: RequestCallback): void {
    const onThrow = (thrown: unknown): void => {
      reply?.(thrown ?? new Error())
      this.#onThrow(name)
      reportThrown(thrown)
    }
    try {
      const running = run()
      if (reply && running instanceof Promise) running.catch(onThrow)
    } catch (thrown) {
      onThrow(thrown)
    }
  }
}

function requireHandler(handler: unknown): void {
  if (typeof handler !== 'function') throw new ContactError('invalid_argument', 'unable to listen; the handler must be a function')
}
