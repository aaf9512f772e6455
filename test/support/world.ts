import './loaded-code.ts'
import { NativeEngine } from '../../engines/index.ts'
import type { MediaEngine } from '../../engines/index.ts'
import type { Clock } from '../../protocol/index.ts'
import { AgentImpl } from '../../sdk/agent/create-agent.ts'
import type { KeyValueStore, Log } from '../../sdk/api/client.ts'
import { VisitorClient } from '../../sdk/client/create-client.ts'
import type { Environment } from '../../sdk/client/environment.ts'
import { memoryStore } from '../../sdk/client/page-storage.ts'
import { FakeEngine, MemoryService, TestClock } from '../../testing/index.ts'
import type { MemoryContact, Party } from '../../testing/index.ts'
import { testEnvironment } from '../../testing/test-contact.ts'

export const fakes = (): MediaEngine[] => [
  new NativeEngine(),
  new FakeEngine({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'] }),
]

/** One page of a party: a tab of the visitor's browser, or a console. */
export interface Page<C> {
  readonly party: Party
  readonly client: C
}

const SERVICE = 'http://localhost'

/** An organisation that vouches for its agents. */
export interface Organisation {
  /** base64 of 32 bytes. */
  readonly trustedKeys: readonly string[]
  readonly signKey: NonNullable<ConstructorParameters<typeof AgentImpl>[0]['signKey']>
}

/** A service in memory with the pages of one visitor and one agent. */
export class World {
  readonly clock = new TestClock()
  readonly link = new MemoryService(this.clock)
  /** What the SDK logs as a warning. */
  readonly warnings: string[] = []
  readonly #log: Log = { debug: () => {}, warn: (message) => void this.warnings.push(message) }
  /** Names of the actors that were started. */
  readonly started: string[] = []
  readonly #inspect: Environment['inspect']
  readonly #note = (event: { readonly type: string; readonly actorRef?: unknown }): void => {
    if (event.type === '@xstate.actor')
      this.started.push(String((event.actorRef as { readonly id?: string }).id))
  }
  readonly #upload: Environment['upload'] = (file, job) => this.link.files.upload(file, job)
  /** Kept for all tabs of the visitor. */
  readonly store: KeyValueStore
  /** Kept for all pages of the agent; each has its own where there is none. */
  readonly agentStore: KeyValueStore | undefined
  readonly #engines: () => readonly MediaEngine[]
  readonly #organisation: Organisation | undefined
  readonly #shareHistory: boolean
  readonly #secrecy: Pick<Environment, 'openTabs' | 'secrecy'>
  readonly #seenBy: (clock: Clock) => Clock

  /**
   * `engines`: new ones for one contact of one page; `seenBy`: the clock as pages see it; `secrecy`: the code
   * that encrypts; `openTabs`: how tabs hear of each other; `organisation`: who signs the keys of agents, and whom
   * visitors trust for it; `shareHistory`: of clients; `isInspected`: the actors that start are noted.
   */
  constructor({
    engines = fakes,
    seenBy = (clock) => clock,
    store = memoryStore(),
    agentStore,
    secrecy,
    openTabs = () => null,
    organisation,
    shareHistory = false,
    isInspected = false,
  }: {
    readonly shareHistory?: boolean
    readonly engines?: () => readonly MediaEngine[]
    readonly isInspected?: boolean
    readonly seenBy?: (clock: Clock) => Clock
    readonly store?: KeyValueStore
    readonly agentStore?: KeyValueStore
    readonly secrecy?: Environment['secrecy']
    readonly openTabs?: NonNullable<Environment['openTabs']>
    readonly organisation?: Organisation
  } = {}) {
    this.#organisation = organisation
    this.#shareHistory = shareHistory
    this.store = store
    this.agentStore = agentStore
    this.#secrecy = { openTabs, ...(secrecy && { secrecy }) }
    this.#inspect = isInspected ? this.#note : undefined
    this.#engines = engines
    this.#seenBy = seenBy
  }

  /**
   * A tab of the visitor. `tab`: the storage of an earlier page in the same tab; `clock`: that of a page
   * whose time stands still.
   */
  visitor({
    tab = memoryStore(),
    clock = this.clock,
    offerLifetime,
  }: {
    readonly tab?: KeyValueStore
    readonly clock?: TestClock
    readonly offerLifetime?: number
  } = {}): Page<VisitorClient> {
    const party: Party = { slot: 'visitor', id: 'visitor-1' }
    const environment = {
      ...testEnvironment(clock, this.#engines),
      ...this.#secrecy,
      upload: this.#upload,
      clock: this.#seenBy(clock),
      log: this.#log,
      inspect: this.#inspect,
      offerLifetime,
      store: this.store,
      tab,
    }
    return {
      party,
      client: new VisitorClient(
        {
          ...{ service: SERVICE, transport: this.link.transport(party), shareHistory: this.#shareHistory },
          ...(this.#organisation && { trustedKeys: this.#organisation.trustedKeys }),
        },
        environment,
      ),
    }
  }

  /** A page of the agent. */
  agent(
    { id = 'agent-1', nick = 'Ada', ...rest }: Partial<Party> = {},
    tab = memoryStore(),
  ): Page<AgentImpl> {
    const party: Party = { ...rest, slot: 'agent', id, nick }
    return {
      party,
      client: new AgentImpl(
        {
          ...{ service: SERVICE, token: 'memory', transport: this.link.transport(party) },
          ...(this.#organisation && { signKey: this.#organisation.signKey }),
        },
        {
          ...testEnvironment(this.clock, this.#engines),
          ...this.#secrecy,
          upload: this.#upload,
          clock: this.#seenBy(this.clock),
          log: this.#log,
          inspect: this.#inspect,
          tab,
          ...(this.agentStore && { store: this.agentStore }),
        },
      ),
    }
  }

  /** The service's own view of the first contact. */
  get contact(): MemoryContact {
    const [contact] = this.link.contacts.values()
    if (!contact) throw new Error('there is no contact')
    return contact
  }

  /** Types of the entries in the first contact's log. */
  get entries(): string[] {
    return this.contact.entries.map(({ type }) => type)
  }
}
