import mitt from 'mitt'
import { ContactError, copyOf } from '../../protocol/index.ts'
import type { ListenOptions, RequestCallback, Unsubscribe } from '../../protocol/index.ts'
import { fromArguments } from '../values/arguments.ts'
import { reportThrown } from '../async/contain.ts'
import { onAbort } from '../async/on-abort.ts'

/** mitt, whose declarations describe its default export for CommonJS only. */
const createEmitter = mitt as unknown as typeof mitt.default

/** `reply`: only for handlers of the application's own names. */
export type Handler = (payload: unknown, reply?: RequestCallback) => unknown

/** A handler as it was given, and what takes it off again. */
interface Listener {
  readonly handler: Handler
  readonly stop: Unsubscribe
}

/** Handlers by the name of their event. One that throws disturbs no other. */
export class Emitter {
  readonly #mitt = createEmitter<Record<string, unknown>>()
  /** By what is called in the place of the handler: one that is given twice is listed twice. */
  readonly #listeners = new WeakMap<Handler, Listener>()
  readonly #onThrow: (name: string) => void

  /** `onThrow`: a handler of that event threw; the page is told as of any uncaught error. */
  constructor(onThrow: (name: string) => void) {
    this.#onThrow = onThrow
  }

  on(name: string, handler: Handler, options?: ListenOptions): Unsubscribe {
    return this.#listen(name, handler, { signal: signalOf(options) })
  }

  once(name: string, handler: Handler, options?: ListenOptions): Unsubscribe {
    return this.#listen(name, handler, { signal: signalOf(options), once: true })
  }

  off(name: string, handler?: Handler): void {
    const listeners = this.#handlers(name).map((called) => this.#listeners.get(called))
    const off = handler ? [listeners.find((one) => one?.handler === handler)] : listeners
    for (const listener of off) listener?.stop()
  }

  clear(): void {
    for (const name of this.#mitt.all.keys()) this.off(name)
    this.#mitt.all.clear()
  }

  /**
   * Calls the handlers that there are now; tells whether there were any. `reply` also hears of one that
   * throws, at once or later.
   */
  emit(name: string, payload: () => unknown, ...reply: readonly [RequestCallback?]): boolean {
    const handlers = this.#handlers(name)
    if (handlers.length === 0) return false
    const event = payload()
    for (const handler of handlers) this.#call(name, () => handler(copyOf(event), ...reply), reply[0])
    return true
  }

  #handlers = (name: string): Handler[] => [...((this.#mitt.all.get(name) ?? []) as Handler[])]

  #listen(
    name: string,
    handler: Handler,
    { signal, once = false }: { readonly signal: AbortSignal | undefined; readonly once?: boolean },
  ): Unsubscribe {
    if (typeof handler !== 'function')
      throw new ContactError('invalid_argument', 'unable to listen; the handler must be a function')
    let isOn = signal?.aborted !== true
    const keep = signal && isOn ? onAbort(signal, () => stop()) : undefined
    const called: Handler = (...args) => {
      if (!isOn) return undefined
      if (once) stop()
      return handler(...args)
    }
    const stop = (): void => {
      isOn = false
      keep?.()
      this.#mitt.off(name, called)
    }
    if (!isOn) return stop
    this.#listeners.set(called, { handler, stop })
    this.#mitt.on(name, called)
    return stop
  }

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

/** @throws {@link ContactError} `invalid_argument` */
function signalOf(options: ListenOptions | undefined): AbortSignal | undefined {
  return fromArguments('listen', () => {
    const signal = options?.signal
    if (signal === undefined || typeof signal.addEventListener === 'function') return signal
    throw new ContactError('invalid_argument', 'unable to listen; signal must be an AbortSignal')
  })
}
