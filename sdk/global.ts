/**
 * What a classic script finds as `window.Duolog`: `createClient` and `createAgent`. The SDK's modules are
 * loaded when the first of them is called, so that the script itself weighs little. What they throw with
 * modules, the first operation rejects with here; an `error.code` tells them apart.
 */
import type { ListenOptions } from '../protocol/index.ts'
import type { Agent, AgentEvents, AgentOptions } from './agent/index.ts'
import type { Client, ClientOptions, Log } from './api/client.ts'
import { LazyModule } from './async/lazy-module.ts'
import { pageClock } from './client/clock.ts'
import { silentLog } from './client/silent-log.ts'

type SdkModule = typeof import('./index.ts')
type AgentModule = typeof import('./agent/index.ts')

/** Address of this script: the modules stand beside it. */
const address =
  document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href

/** What the call of a module's function gave. */
type Made<T> = { readonly value: T } | { readonly error: unknown }

/** A client or an agent, made when its module is there. The module is asked for at once. */
class LateObject<T> {
  readonly #made: LazyModule<Made<T>>

  constructor(make: () => Promise<() => T>, log: Log = silentLog) {
    const load = async (): Promise<Made<T>> => {
      const ready = await make()
      try {
        return { value: ready() }
      } catch (error) {
        return { error }
      }
    }
    this.#made = new LazyModule({ load, operation: 'load the SDK', clock: pageClock, log })
    this.with(() => {})
  }

  /** @throws what making it threw; {@link ContactError} `offline` where the module could not be loaded */
  async get(): Promise<T> {
    const made = await this.#made.get()
    if ('error' in made) throw made.error
    return made.value
  }

  /** Runs once it is made; never where making it threw, which each operation tells. */
  with(run: (value: T) => void): void {
    this.#made.with((made) => {
      if ('value' in made) run(made.value)
    })
  }
}

/** How often each module could not be loaded. */
const tries = new Map<string, number>()

/** Of an address that it could not load a browser never asks again (HTML Standard, module map). */
async function imported<T>(name: string): Promise<T> {
  const module = new URL(name, address)
  const tried = tries.get(name) ?? 0
  if (tried > 0) module.search = String(tried)
  try {
    return (await import(module.href)) as T
  } catch (error) {
    tries.set(name, tried + 1)
    throw error
  }
}

/** As `createClient` of the module, once that is loaded. */
export function createClient(options: ClientOptions): Client {
  const client = new LateObject(async () => {
    const sdk = await imported<SdkModule>('duolog.js')
    return () => sdk.createClient(options)
  }, options?.log)
  return {
    createContact: async (contact) => (await client.get()).createContact(contact),
    resumeContact: async () => (await client.get()).resumeContact(),
    history: async (before) => (await client.get()).history(before),
    readTranscript: async (id, options) => (await client.get()).readTranscript(id, options),
    rate: async (id, rating) => (await client.get()).rate(id, rating),
    close: async () => (await client.get()).close(),
  }
}

/** As `createAgent` of the module, once that is loaded. */
export function createAgent(options: AgentOptions): Agent {
  const agent = new LateObject(async () => {
    const sdk = await imported<AgentModule>('agent.js')
    return () => sdk.createAgent(options)
  }, options?.log)
  type Handler<E extends keyof AgentEvents> = (event: AgentEvents[E]) => void
  const listen =
    (how: 'on' | 'once') =>
    <E extends keyof AgentEvents>(event: E, handler: Handler<E>, listening?: ListenOptions) => {
      const stopped = new AbortController()
      agent.with((loaded) => {
        if (stopped.signal.aborted) return
        stopped.signal.addEventListener('abort', loaded[how](event, handler, listening))
      })
      return () => stopped.abort()
    }
  return {
    on: listen('on'),
    once: listen('once'),
    off: (event, handler) => agent.with((loaded) => loaded.off(event, handler)),
    ready: async (presence) => (await agent.get()).ready(presence),
    pause: async () => (await agent.get()).pause(),
    accept: async (id, how) => (await agent.get()).accept(id, how),
    decline: async (id) => (await agent.get()).decline(id),
    transfer: async (id, to, how) => (await agent.get()).transfer(id, to, how),
    colleagues: async () => (await agent.get()).colleagues(),
    note: async (id, text) => (await agent.get()).note(id, text),
    notes: async (id) => (await agent.get()).notes(id),
    replies: async () => (await agent.get()).replies(),
    search: async (query) => (await agent.get()).search(query),
    overview: async () => (await agent.get()).overview(),
    read: async (id, options) => (await agent.get()).read(id, options),
    contacts: async () => (await agent.get()).contacts(),
    close: async () => (await agent.get()).close(),
  }
}
