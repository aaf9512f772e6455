import { algebra } from '../protocol/index.ts'
import type { ContactEventName, ContactEvents, MediaState } from '../protocol/index.ts'
import type { Log } from './client.ts'
import { createEmitter } from './emitter.ts'

const { diff, sameMedia } = algebra

interface Item {
  readonly name: string
  readonly payload: () => unknown
  /** A media change, which a later one may join. */
  readonly change?: { readonly from: MediaState; readonly to: MediaState }
  /** Not delivered where this says no by then. */
  readonly wanted?: (() => boolean) | undefined
  /** Called after the handlers; `heard` tells whether there were any. */
  readonly after?: ((heard: boolean) => void) | undefined
}

type Handler = (payload: unknown) => void

/** Hands events to the application: in order, one at a time, none before it is opened. */
export class Delivery {
  readonly #emitter = createEmitter<Record<string, unknown>>()
  readonly #log: Log
  #queue: Item[] = []
  /** Reasons to wait: not opened yet, a batch of reading, a handler that runs. */
  #holds = 1

  constructor(log: Log) {
    this.#log = log
  }

  on = (name: string, handler: Handler): void => this.#emitter.on(name, handler)

  off = (name: string, handler?: Handler): void => this.#emitter.off(name, handler)

  once = (name: string, handler: Handler): void => {
    const wrapped = (payload: unknown): void => {
      this.#emitter.off(name, wrapped)
      handler(payload)
    }
    this.#emitter.on(name, wrapped)
  }

  has = (name: string): boolean => this.#handlers(name).length > 0

  emit<E extends ContactEventName>(name: E, payload: ContactEvents[E], options: Pick<Item, 'wanted' | 'after'> = {}): void {
    this.#add({ name, payload: () => payload, ...options })
  }

  /** Tells a media change; changes that wait together become one, and none where nothing has changed in the end. */
  emitChange(from: MediaState, to: MediaState, withData: (media: MediaState) => MediaState): void {
    const waiting = this.#queue.find((item) => item.change)
    this.#queue = this.#queue.filter((item) => item !== waiting)
    const start = waiting?.change?.from ?? from
    if (sameMedia(start, to)) return
    this.#add({ name: 'mediachange', change: { from: start, to }, payload: () => ({ newMedia: withData(to), diff: diff(start, to) }) })
  }

  /** Events of what `run` does come after it, several media changes as one. */
  batch(run: () => void): void {
    this.#holds++
    try {
      run()
    } finally {
      this.open()
    }
  }

  /** Takes one reason to wait away. */
  open = (): void => {
    this.#holds--
    this.#flush()
  }

  /** A copy: handlers may be added and removed while it is gone through. */
  #handlers(name: string): Handler[] {
    return [...((this.#emitter.all.get(name) ?? []) as Handler[])]
  }

  #add(item: Item): void {
    this.#queue.push(item)
    this.#flush()
  }

  #flush(): void {
    if (this.#holds > 0) return
    this.#holds++
    try {
      for (let item = this.#queue.shift(); item; item = this.#queue.shift()) this.#deliver(item)
    } finally {
      this.#holds--
    }
  }

  #deliver({ name, payload, wanted, after }: Item): void {
    if (wanted && !wanted()) return
    const handlers = this.#handlers(name)
    const event = handlers.length > 0 ? payload() : undefined
    for (const handler of handlers) this.#call(name, handler, event)
    after?.(handlers.length > 0)
  }

  #call(name: string, handler: Handler, payload: unknown): void {
    try {
      handler(payload)
    } catch (thrown) {
      this.#log.warn('a handler threw', { event: name })
      if (typeof reportError === 'function') reportError(thrown)
    }
  }
}
