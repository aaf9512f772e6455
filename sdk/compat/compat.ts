import type { DataChannel } from '../../protocol/index.ts'
import type { Contact } from '../contact.ts'
import { ARGUMENTS } from './compat-events.ts'
import type { CompatChannelEvents, CompatEvents, CompatHandler } from './compat-events.ts'

type Handler = (...args: never[]) => void

/** The methods of an event emitter whose handlers get positional arguments. */
export interface CompatEmitter<Events extends object, Other> {
  /** Calls `handler` with each event of that name. */
  on<E extends keyof Events>(event: E, handler: (...args: Events[E] extends unknown[] ? Events[E] : never) => void): this
  /** The same for a name of the application's own. */
  on(name: string, handler: Other): this
  /** Stops calling `handler`; without one, every handler of the event. */
  off(name: string, handler?: Handler): this
  /** Calls `handler` with the next event of that name only. */
  once<E extends keyof Events>(event: E, handler: (...args: Events[E] extends unknown[] ? Events[E] : never) => void): this
  /** The same for a name of the application's own. */
  once(name: string, handler: Other): this
  /** The same as `on`. */
  addListener<E extends keyof Events>(event: E, handler: (...args: Events[E] extends unknown[] ? Events[E] : never) => void): this
  /** The same for a name of the application's own. */
  addListener(name: string, handler: Other): this
  /** The same as `off`. */
  removeListener(name: string, handler?: Handler): this
}

type TopicHandler = (channel: string, data: CompatChannelEvents['data'][1], topic: string) => void

/** A data channel whose handlers get positional arguments. */
export type CompatChannel = Omit<DataChannel, 'on' | 'off' | 'once'> & CompatEmitter<CompatChannelEvents, TopicHandler>

/** A contact whose handlers get positional arguments. Its operations and properties are those of {@link Contact}. */
export type CompatContact = Omit<Contact, 'on' | 'off' | 'once' | 'getDataChannel'> &
  CompatEmitter<Omit<CompatEvents, 'datachannel'> & { datachannel: [CompatChannel] }, CompatHandler> & {
    /** The channel of that name, made where there is none. */
    getDataChannel(...args: Parameters<Contact['getDataChannel']>): Promise<CompatChannel>
  }

/** Anything that emits: its handlers take one argument, or two under names of the application's own. */
interface Source {
  on(name: string, handler: (...args: unknown[]) => void): void
  off(name: string, handler?: (...args: unknown[]) => void): void
  once(name: string, handler: (...args: unknown[]) => void): void
}

/** Turns what a handler of `name` is given into its positional arguments. */
type Spread = (name: string, given: readonly unknown[]) => readonly unknown[]

const propertiesOf = (event: unknown, names: readonly string[]): unknown[] => names.map((name) => (event as Readonly<Record<string, unknown>>)[name])

const ofContact: Spread = (name, given) => {
  if (name === 'datachannel') return [compatChannel(given[0] as DataChannel)]
  return Object.hasOwn(ARGUMENTS, name) ? propertiesOf(given[0], ARGUMENTS[name as keyof typeof ARGUMENTS]) : given
}

const ofChannel: Spread = (name, given) => (name === 'close' ? [] : propertiesOf(given[0], ['channel', 'data', 'topic']))

interface Listener {
  readonly name: string
  readonly handler: Handler
  readonly call: (...args: unknown[]) => void
}

/** The same object, but for the methods that take handlers; each of these gives the object itself. */
function withPositional<T extends object>(target: T, spread: Spread, more: Readonly<Record<string, unknown>> = {}): T {
  const source = target as unknown as Source
  /** What listens in the place of a handler. */
  let listeners: Listener[] = []
  const listen =
    (method: 'on' | 'once') =>
    (name: string, handler: Handler): T => {
      const call = (...given: unknown[]): void => {
        if (method === 'once') listeners = listeners.filter((one) => one.call !== call)
        handler(...(spread(name, given) as never[]))
      }
      source[method](name, typeof handler === 'function' ? call : handler)
      listeners.push({ name, handler, call })
      return proxy
    }
  const off = (name: string, handler?: Handler): T => {
    const one = handler && listeners.findLast((each) => each.name === name && each.handler === handler)
    listeners = listeners.filter((each) => (handler ? each !== one : each.name !== name))
    if (one) source.off(name, one.call)
    if (!handler) source.off(name)
    return proxy
  }
  const own: Readonly<Record<string, unknown>> = { on: listen('on'), once: listen('once'), off, addListener: listen('on'), removeListener: off, ...more }
  const proxy: T = new Proxy(target, {
    get(_, key) {
      if (typeof key === 'string' && Object.hasOwn(own, key)) return own[key]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return proxy
}

const channels = new WeakMap<DataChannel, CompatChannel>()
const contacts = new WeakMap<Contact, CompatContact>()

/** What was made of a thing before, so that a handler is found again; else what `make` makes. */
function made<T extends object, Made>(before: WeakMap<T, Made>, thing: T, make: () => object): Made {
  const known = before.get(thing) ?? (make() as Made)
  before.set(thing, known)
  return known
}

const compatChannel = (channel: DataChannel): CompatChannel => made(channels, channel, () => withPositional(channel, ofChannel))

/**
 * A contact in the style of event emitters: handlers get the properties of an event as positional arguments, in the order in which the contract lists them,
 * `text(text, from_id, from_nick, agent)` for example, or the one object that the contract describes (`left`, `capabilities`, `localcapabilities`).
 * Actions and topics are handed over as ever. The same contact gives the same object each time.
 *
 * @example
 * ```ts
 * const contact = compat(await client.createContact())
 * contact.on('text', (text, from_id, from_nick, agent) => show(from_nick ?? from_id, text))
 * ```
 */
export function compat(contact: Contact): CompatContact {
  const getDataChannel = async (...args: Parameters<Contact['getDataChannel']>): Promise<CompatChannel> => compatChannel(await contact.getDataChannel(...args))
  return made(contacts, contact, () => withPositional(contact, ofContact, { getDataChannel }))
}
