import { createAgent } from 'duolog/agent'
import type { Agent, AgentEvents, TransferTarget } from 'duolog/agent'
import type { Contact, ErrorCode } from 'duolog'
import { inspection } from '../../inspector/src/recorder.ts'
import { Changes, ContactSession, codeOf, tabHistory, untilDecided } from '../../ui/src/index.ts'
import type { Observable } from '../../ui/src/index.ts'
import { keepIdentity, keptIdentity, signInLocally } from './identity.ts'
import type { Identity } from './identity.ts'
import { IncomingOffers } from './incoming-offers.ts'
import type { Incoming } from './incoming-offers.ts'
import { Presence } from './presence.ts'

type Phase = 'signed-out' | 'signing-in' | 'signed-in'
/** `paused`: by the service. */
type Failure = ErrorCode | 'sign-in' | 'paused'

/** Apart from what a visitor's page of the same tab keeps. */
const HISTORY = 'duolog-agent-shown:'

/** Everything that the console shows. */
export class ConsoleModel implements Observable {
  readonly #service: string
  readonly #changes = new Changes()
  readonly #sessions = new Map<string, ContactSession>()
  readonly #unwatch = new Map<string, () => void>()
  readonly #history = tabHistory(() => sessionStorage, HISTORY)
  readonly #incoming = new IncomingOffers(() => this.#changes.announce())
  readonly #presence = new Presence()
  #agent: Agent | null = null
  /** Aborted when the agent is. */
  #signedIn = new AbortController()
  #identity: Identity | null = null
  #phase: Phase = 'signed-out'
  #connection: AgentEvents['connection']['state'] = 'connecting'
  #selected: string | null = null
  #failure: Failure | null = null
  #isClosed = false

  constructor(service: string) {
    this.#service = service
  }

  get phase(): Phase {
    return this.#phase
  }
  get identity(): Identity | null {
    return this.#identity
  }
  get incoming(): readonly Incoming[] {
    return this.#incoming.list
  }
  get isReady(): boolean {
    return this.#presence.isReady
  }
  get connection(): AgentEvents['connection']['state'] {
    return this.#connection
  }
  get sessions(): readonly ContactSession[] {
    return [...this.#sessions.values()]
  }
  get selected(): ContactSession | null {
    return (this.#selected !== null && this.#sessions.get(this.#selected)) || null
  }
  get failure(): Failure | null {
    return this.#failure
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /** Signs in with what an earlier page of this tab has kept, or under `nick`. */
  async restore(nick: string | null): Promise<void> {
    const kept = keptIdentity()
    if (kept && (nick === null || nick === kept.agent.nick)) return this.#enter(kept)
    if (nick !== null) await this.signIn(nick)
  }

  async signIn(nick: string): Promise<void> {
    if (this.#phase !== 'signed-out') return
    this.#become('signing-in', null)
    try {
      const identity = await signInLocally(this.#service, nick)
      if (this.#isClosed) return
      keepIdentity(identity)
      await this.#enter(identity)
    } catch {
      this.#become('signed-out', 'sign-in')
    }
  }

  async signOut(): Promise<void> {
    await this.#agent?.pause().catch(() => undefined)
    this.#release(null)
  }

  /** Takes contacts, or no more. */
  async setReady(isReady: boolean): Promise<void> {
    const asked = this.#attempt((agent) => this.#presence.ask(agent, isReady))
    this.#changes.announce()
    await asked
    this.#changes.announce()
  }

  async accept(id: string): Promise<void> {
    if (!this.#agent || !this.#incoming.mark(id)) return
    await this.#attempt(async (agent) => {
      const contact = await agent.accept(id)
      if (this.#agent !== agent) return
      void this.#add(contact).join()
      this.select(id)
    })
    this.#incoming.forget(id)
  }

  async decline(id: string): Promise<void> {
    if (!this.#incoming.mark(id)) return
    await this.#attempt((agent) => agent.decline(id))
    this.#incoming.forget(id)
  }

  /** Hands a contact on. Rejects where that cannot be. */
  async transfer(id: string, to: TransferTarget): Promise<void> {
    await this.#agent?.transfer(id, to)
  }

  select(id: string | null): void {
    this.#selected = id
    this.attend()
    this.#changes.announce()
  }

  /** Tells the sessions which one is looked at. */
  attend(): void {
    for (const [id, session] of this.#sessions)
      session.attend(id === this.#selected && document.visibilityState === 'visible')
  }

  /** Takes a contact that is over from the list. */
  dismiss(id: string): void {
    this.#sessions.get(id)?.close()
    this.#sessions.delete(id)
    this.#unwatch.get(id)?.()
    this.#unwatch.delete(id)
    if (this.#selected === id) this.#selected = null
    this.#changes.announce()
  }

  dismissFailure(): void {
    this.#failure = null
    this.#changes.announce()
  }

  close(): void {
    this.#isClosed = true
    this.#drop()
  }

  #drop(): void {
    this.#signedIn.abort()
    this.#incoming.clear()
    for (const id of [...this.#sessions.keys()]) this.dismiss(id)
    void this.#agent?.close()
    this.#agent = null
  }

  async #enter(identity: Identity): Promise<void> {
    this.#identity = identity
    this.#signedIn = new AbortController()
    const agent = createAgent({ service: this.#service, token: identity.token, ...inspection('agent') })
    this.#agent = agent
    this.#listen(agent)
    this.#become('signed-in', null)
    await this.#attempt(() => this.#takeUp(agent, this.#signedIn.signal))
    this.#changes.announce()
  }

  /**
   * Contacts and presence, as an earlier page of this agent has left them; as soon as there is a connection
   * that tells.
   */
  async #takeUp(agent: Agent, signal: AbortSignal): Promise<void> {
    let told: Failure | null = null
    const asking = {
      signal,
      onUndecided: (thrown: unknown) => {
        this.#failed(thrown)
        told = this.#failure
      },
      onBack: (wake: () => void, until: AbortSignal) =>
        void agent.on('connection', ({ state }) => state === 'online' && wake(), { signal: until }),
    }
    const contacts = await untilDecided(() => agent.contacts(), asking)
    if (signal.aborted) return
    const known = new Set(this.sessions.map(({ contact }) => contact))
    for (const contact of contacts) if (!known.has(contact)) void this.#add(contact).join()
    if (this.#selected === null && contacts[0]) this.select(contacts[0].id)
    await untilDecided(() => this.#presence.restore(agent), asking)
    if (this.#failure === told) this.#failure = null
  }

  #listen(agent: Agent): void {
    agent.on('distribution', (offered) => this.#incoming.add(offered))
    agent.on('withdrawn', ({ id }) => this.#incoming.forget(id))
    agent.on('paused', () => {
      this.#presence.is(false)
      this.#failure = 'paused'
      this.#changes.announce()
    })
    agent.on('connection', ({ state }) => {
      this.#connection = state
      this.#changes.announce()
    })
    agent.on('error', (error) => this.#failed(error))
  }

  #add(contact: Contact): ContactSession {
    const { id } = contact
    this.dismiss(id)
    const session = new ContactSession(contact, { history: this.#history })
    this.#sessions.set(id, session)
    this.#unwatch.set(
      id,
      session.subscribe(() => this.#changes.announce()),
    )
    return session
  }

  /** What comes of it when the agent has signed out meanwhile concerns nobody. */
  async #attempt(run: (agent: Agent) => Promise<unknown>): Promise<void> {
    const agent = this.#agent
    this.#failure = null
    try {
      if (agent) await run(agent)
    } catch (error) {
      if (this.#agent === agent) this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const code = codeOf(error)
    if (code === 'unauthorized') return this.#release('unauthorized')
    this.#failure = code
    this.#changes.announce()
  }

  /** Back to signing in: nothing stays in the tab for who signs in next. */
  #release(failure: ErrorCode | null): void {
    this.#drop()
    keepIdentity(null)
    this.#presence.is(false)
    this.#history.clear()
    this.#identity = null
    this.#become('signed-out', failure)
  }

  #become(phase: Phase, failure: Failure | null): void {
    this.#phase = phase
    this.#failure = failure
    this.#changes.announce()
  }
}
