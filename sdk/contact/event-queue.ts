import { algebra, isOwnEvent } from '../../protocol/index.ts'
import type { ContactEventName, ContactEvents, MediaState, RequestCallback } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import { Emitter } from './emitter.ts'
import { contain } from '../async/contain.ts'

interface Change {
  readonly from: MediaState
  readonly to: MediaState
  readonly interrupted?: true
}

interface Item {
  readonly name: string
  readonly payload: () => unknown
  /** A media change, which a later one may join. */
  readonly change?: Change
  /** Not delivered where this says no by then. */
  readonly wanted?: (() => boolean) | undefined
  /** Second argument of the handlers: only of the application's own names. */
  readonly reply?: RequestCallback | undefined
  /** Runs also where the page's part ends during the event before it. */
  readonly isLast?: boolean
  /** It and what follows it wait. */
  readonly isPlace?: boolean
  /** Called after the handlers; `heard` tells whether there were any. */
  readonly after?: ((heard: boolean) => void) | undefined
}

/** Hands events to the application: in order, one at a time, none before it is started. */
export class Delivery {
  readonly handlers: Emitter
  #queue: Item[] = []
  #started = false
  #ended = false
  /** Reasons to wait: a batch of reading, a handler that runs. */
  #holds = 0

  constructor(log: Log) {
    this.handlers = new Emitter((event) => log.warn('a handler threw', { event }))
  }

  emit<E extends ContactEventName>(
    name: E,
    payload: ContactEvents[E],
    options: Pick<Item, 'wanted' | 'after'> = {},
  ): void {
    this.#add({ name, payload: () => payload, ...options })
  }

  /** Calls `run` in its turn among the events. `isLast`: it ends what was told of an entry. */
  inTurn(run: () => void, isLast = false): void {
    this.#add({ name: '', payload: () => undefined, wanted: () => (run(), false), isLast })
  }

  /**
   * Calls the handlers of a name that is the application's own: an action or a topic. Those of the contract's
   * events are never reached in this way.
   */
  emitNamed(
    name: string,
    payload: unknown,
    options: { readonly reply: RequestCallback } & Pick<Item, 'after'>,
  ): void {
    if (isOwnEvent(name)) options.after?.(false)
    else this.#add({ name, payload: () => payload, ...options })
  }

  /**
   * Tells a media change; changes that wait together become one, and none where nothing has changed in the
   * end.
   */
  emitChange(last: Change, withData: (media: MediaState) => MediaState): void {
    const waiting = this.#queue.find((item) => item.change)
    this.#queue = this.#queue.filter((item) => item !== waiting)
    const change = { ...last, ...waiting?.change, to: last.to }
    const { from, to, interrupted } = change
    if (algebra.sameMedia(from, to)) return
    this.#add({
      name: 'mediachange',
      change,
      payload: () => ({
        newMedia: withData(to),
        diff: algebra.diff(from, to),
        ...(interrupted && { interrupted }),
      }),
    })
  }

  /** Events of what `run` does come after it, several media changes as one. */
  batch(run: () => void): void {
    const release = this.hold()
    try {
      run()
    } finally {
      release()
    }
  }

  /** Events wait until the function that is returned is called, once. */
  hold = (): (() => void) => {
    this.#holds++
    return () => {
      this.#holds--
      this.#flush()
    }
  }

  /**
   * Keeps a place for events that are not known yet: what follows waits. What the function that is returned
   * runs emits them there; it is to be called once.
   */
  place(): (run: () => void) => void {
    const place: Item = { name: '', payload: () => undefined, isPlace: true }
    this.#add(place)
    return (run) => {
      const at = this.#queue.indexOf(place)
      const later = at < 0 ? [] : this.#queue.splice(at).slice(1)
      this.batch(() => {
        try {
          run()
        } finally {
          this.#queue.push(...later)
        }
      })
    }
  }

  /** Events may come from now on. */
  start = (): void => {
    this.#started = true
    this.#flush()
  }

  /** Nothing is told any more: what waits, the next page tells. */
  stop(): void {
    this.#ended = true
    while (this.#queue[0]?.isLast) this.#next()
    this.#queue = []
  }

  #add(item: Item): void {
    if (this.#ended) return
    this.#queue.push(item)
    this.#flush()
  }

  #flush(): void {
    if (!this.#started || this.#holds > 0) return
    this.#holds++
    try {
      while (this.#queue[0] && !this.#queue[0].isPlace) this.#next()
    } finally {
      this.#holds--
    }
  }

  #next(): void {
    const item = this.#queue.shift()
    if (item) this.#deliver(item)
  }

  /** What fails in one, such as an engine that is asked for its data, keeps no other from being told. */
  #deliver({ name, payload, reply, wanted, after }: Item): void {
    contain(() => {
      if (wanted && !wanted()) return
      const heard = reply ? this.handlers.emit(name, payload, reply) : this.handlers.emit(name, payload)
      after?.(heard)
    })
  }
}
