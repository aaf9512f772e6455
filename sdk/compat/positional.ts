/** Emitters whose handlers get positional arguments. */
import { copyOf } from '../../protocol/index.ts'
import type { DataChannel, ListenOptions, MediaOffer, Unsubscribe } from '../../protocol/index.ts'
import { ARGUMENTS } from './arguments.ts'
import type { CompatChannelEvents } from './arguments.ts'
import { answerInWords } from './media-words.ts'

type Handler = (...args: never[]) => void
type Taking<Args> = (...args: Args extends unknown[] ? Args : never) => void

/**
 * The methods of an event emitter whose handlers get positional arguments. What `on` and `once` give takes
 * the handler off, and has the emitter's members, for chains.
 */
export interface CompatEmitter<Events extends object, Other> {
  /** Calls `handler` with each event of that name. */
  on<E extends keyof Events>(
    event: E,
    handler: Taking<Events[E]>,
    options?: ListenOptions,
  ): this & Unsubscribe
  /** The same for a name of the application's own. */
  on(name: string, handler: Other, options?: ListenOptions): this & Unsubscribe
  /** Stops calling `handler`; without one, every handler of the event. */
  off(name: string, handler?: Handler): this
  /** Calls `handler` with the next event of that name only. */
  once<E extends keyof Events>(
    event: E,
    handler: Taking<Events[E]>,
    options?: ListenOptions,
  ): this & Unsubscribe
  /** The same for a name of the application's own. */
  once(name: string, handler: Other, options?: ListenOptions): this & Unsubscribe
  /** The same as `on`. */
  addListener<E extends keyof Events>(
    event: E,
    handler: Taking<Events[E]>,
    options?: ListenOptions,
  ): this & Unsubscribe
  /** The same for a name of the application's own. */
  addListener(name: string, handler: Other, options?: ListenOptions): this & Unsubscribe
  /** The same as `off`. */
  removeListener(name: string, handler?: Handler): this
}

type TopicHandler = (channel: string, data: CompatChannelEvents['data'][1], topic: string) => void

/** A data channel whose handlers get positional arguments. */
export type CompatChannel = Omit<DataChannel, 'on' | 'off' | 'once'> &
  CompatEmitter<CompatChannelEvents, TopicHandler>

type Listen = (name: string, handler: (...args: unknown[]) => void, options?: ListenOptions) => Unsubscribe

/** Anything that emits: its handlers take one argument, or two under names of the application's own. */
export interface Source {
  readonly on: Listen
  readonly once: Listen
  readonly off: (name: string, handler?: (...args: unknown[]) => void) => void
}

/** Turns what a handler of `name` is given into its positional arguments. */
type Spread = (name: string, given: readonly unknown[]) => readonly unknown[]

const propertiesOf = (event: unknown, names: readonly string[]): unknown[] =>
  names.map((name) => (event as Readonly<Record<string, unknown>>)[name])

/** The arguments of a contact's handlers. */
export const ofContact: Spread = (name, given) => {
  if (name === 'datachannel') return [compatChannel(given[0] as DataChannel)]
  if (!Object.hasOwn(ARGUMENTS, name)) return given
  const args = propertiesOf(given[0], ARGUMENTS[name as keyof typeof ARGUMENTS])
  return name === 'mediaoffer'
    ? [args[0], answering(copyOf(args[0]) as MediaOffer, args[1] as Handler)]
    : args
}

/** The callback of an offer, which also takes words, and what `mergeMedia` keeps besides. */
const answering =
  (offer: MediaOffer, callback: (...args: never[]) => void) =>
  (error: unknown, answer?: unknown): void =>
    (callback as (error: unknown, answer?: unknown) => void)(error, answerInWords(offer, answer))

const ofChannel: Spread = (name, given) =>
  name === 'close' ? [] : propertiesOf(given[0], ['channel', 'data', 'topic'])

/** What is called in the place of a handler: the same each time, so that it can be taken off. */
function adapted(spread: Spread): (name: string, handler: Handler) => (...given: unknown[]) => void {
  const known = new WeakMap<Handler, Map<string, (...given: unknown[]) => void>>()
  return (name, handler) => {
    if (typeof handler !== 'function') return handler
    const calls = known.get(handler) ?? new Map<string, (...given: unknown[]) => void>()
    const call = calls.get(name) ?? ((...given: unknown[]) => handler(...(spread(name, given) as never[])))
    known.set(handler, calls.set(name, call))
    return call
  }
}

export interface Members {
  /** Emits the events that `own` names. */
  readonly source?: Source
  readonly names?: readonly string[]
  /** Members in the place of the target's own, and more. */
  readonly members?: object
}

/** The same object, but for the methods that take handlers. */
export function withPositional<T extends object>(
  target: T,
  spread: Spread,
  { source, names = [], members = {} }: Members = {},
): T {
  const call = adapted(spread)
  const sourceOf = (name: string): Source =>
    source && names.includes(name) ? source : (target as unknown as Source)
  const listen =
    (method: 'on' | 'once') =>
    (name: string, handler: Handler, options?: ListenOptions): unknown => {
      const stop = sourceOf(name)[method](name, call(name, handler), options)
      return new Proxy((): void => stop(), { get: (_, key) => Reflect.get(proxy, key) })
    }
  const off = (name: string, handler?: Handler): T => {
    sourceOf(name).off(name, handler && call(name, handler))
    return proxy
  }
  const listening: object = {
    on: listen('on'),
    once: listen('once'),
    off,
    addListener: listen('on'),
    removeListener: off,
  }
  const proxy: T = new Proxy(target, {
    get(_, key) {
      const own = [members, listening].find((each) => Object.hasOwn(each, key))
      const value: unknown = Reflect.get(own ?? target, key)
      return typeof value === 'function' && !own ? value.bind(target) : value
    },
    has: (_, key) => [members, listening, target].some((each) => key in each),
  })
  return proxy
}

const channels = new WeakMap<DataChannel, CompatChannel>()

/** What was made of a thing before, so that it is the same each time; else what `make` makes. */
export function made<T extends object, Made>(before: WeakMap<T, Made>, thing: T, make: () => object): Made {
  const known = before.get(thing) ?? (make() as Made)
  before.set(thing, known)
  return known
}

export const compatChannel = (channel: DataChannel): CompatChannel =>
  made(channels, channel, () => withPositional(channel, ofChannel))
