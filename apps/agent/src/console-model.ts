import { createAgent } from 'duolog/agent'
import type { Agent, AgentEvents, TransferTarget } from 'duolog/agent'
import type { Contact, ErrorCode } from 'duolog'
import { inspection } from '../../inspector/src/recorder.ts'
import { Changes, codeOf, isUndecided, tabHistory, untilDecided, within } from '../../ui/src/index.ts'
import type { ContactSession, Observable } from '../../ui/src/index.ts'
import { ContactList } from './contact-list.ts'
import { keepIdentity, keptIdentity, signInLocally } from './identity.ts'
import type { Identity } from './identity.ts'
import { IncomingOffers } from './incoming-offers.ts'
import type { Incoming } from './incoming-offers.ts'
import { Presence } from './presence.ts'

type Phase = 'signed-out' | 'signing-in' | 'signed-in'
/** `paused`: by the service. */
type Failure = ErrorCode | 'sign-in' | 'paused'

/** Separate from what a visitor's page of the same tab keeps. */
const HISTORY = 'duolog-agent-shown:'
const PAUSE_LIMIT_MS = 2_000

/** Everything that the console shows. */
export class ConsoleModel implements Observable {
  readonly #service: string
  readonly #changes = new Changes()
  readonly #history = tabHistory(() => sessionStorage, HISTORY)
  readonly #contacts = new ContactList(this.#history, () => this.#changes.announce())
  readonly #incoming = new IncomingOffers(() => this.#changes.announce())
  readonly #presence = new Presence()
  #agent: Agent | null = null
  /** Aborted when the agent is. */
  #signedIn = new AbortController()
  #identity: Identity | null = null
  #phase: Phase = 'signed-out'
  #connection: AgentEvents['connection']['state'] = 'connecting'
  #failure: Failure | null = null
  #isClosed = false
  /** Called when the next agent signs in. */
  #onNext = (): void => {}

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
    return this.#contacts.sessions
  }
  get selected(): ContactSession | null {
    return this.#contacts.selected
  }
  get failure(): Failure | null {
    return this.#failure === 'paused' && this.isReady ? null : this.#failure
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

  /** Signs out at once. The service is told afterwards, unless that takes long or the next agent signs in. */
  async signOut(): Promise<void> {
    const agent = this.#agent
    this.#agent = null
    for (const { calls, state } of this.sessions)
      if (state.callSince !== null || state.request) calls.hangUp()
    this.#release(null)
    if (!agent) return
    const paused = within(PAUSE_LIMIT_MS, () => agent.pause())
    const next = new Promise<void>((resolve) => (this.#onNext = resolve))
    await Promise.race([paused.catch(() => undefined), next])
    await agent.close()
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
    const { signal } = this.#signedIn
    await this.#attempt(async (agent) => {
      const contact = await agent.accept(id).catch((thrown: unknown) => this.#accepted(agent, id, thrown))
      if (signal.aborted) return
      this.#contacts.enter(contact)
      this.select(id)
    })
    if (!signal.aborted) this.#incoming.forget(id)
  }

  async decline(id: string): Promise<void> {
    if (!this.#incoming.mark(id)) return
    const { signal } = this.#signedIn
    await this.#attempt((agent) => agent.decline(id))
    if (!signal.aborted) this.#incoming.forget(id)
  }

  /** Hands a contact on. Rejects where that cannot be. */
  async transfer(id: string, to: TransferTarget): Promise<void> {
    await this.#agent?.transfer(id, to)
  }

  select(id: string | null): void {
    this.#contacts.select(id)
  }

  /** Tells the sessions which one is looked at. */
  attend(): void {
    this.#contacts.attend()
  }

  /** Takes a contact that is over from the list. */
  dismiss(id: string): void {
    this.#contacts.dismiss(id)
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
    this.#contacts.clear()
    void this.#agent?.close()
    this.#agent = null
  }

  async #enter(identity: Identity): Promise<void> {
    this.#onNext()
    this.#identity = identity
    this.#signedIn = new AbortController()
    const agent = createAgent({ service: this.#service, token: identity.token, ...inspection('agent') })
    this.#agent = agent
    this.#listen(agent, this.#signedIn.signal)
    this.#become('signed-in', null)
    await this.#attempt(() => this.#takeUp(agent, this.#signedIn.signal))
    this.#changes.announce()
  }

  /**
   * Contacts and presence, as an earlier page of this agent has left them; as soon as there is a connection
   * that tells.
   */
  async #takeUp(agent: Agent, signal: AbortSignal): Promise<void> {
    const contacts = await this.#untilTold(() => agent.contacts(), agent, signal)
    if (signal.aborted) return
    this.#contacts.enterAll(contacts)
    await this.#untilTold(() => this.#presence.restore(agent), agent, signal)
  }

  /** The contact whose acceptance has failed, where the service has it with this agent all the same. */
  async #accepted(agent: Agent, id: string, thrown: unknown): Promise<Contact> {
    const { signal } = this.#signedIn
    if (signal.aborted || !isUndecided(thrown)) throw thrown
    const contacts = await this.#untilTold(() => agent.contacts(), agent, signal)
    const contact = contacts.find((one) => one.id === id)
    if (!contact) throw thrown
    return contact
  }

  /** Asks until the service decides, and shows meanwhile why it has not. */
  async #untilTold<T>(ask: () => Promise<T>, agent: Agent, signal: AbortSignal): Promise<T> {
    let told: Failure | null = null
    const answer = await untilDecided(ask, {
      signal,
      onUndecided: (thrown) => {
        this.#failed(thrown)
        told = this.#failure
      },
      onBack: (wake, until) =>
        void agent.on('connection', ({ state }) => state === 'online' && wake(), { signal: until }),
    })
    if (told !== null && this.#failure === told) this.#failure = null
    return answer
  }

  /** Until the agent signs out. */
  #listen(agent: Agent, signal: AbortSignal): void {
    agent.on('distribution', (offered) => this.#incoming.add(offered), { signal })
    agent.on('withdrawn', ({ id }) => this.#incoming.forget(id), { signal })
    agent.on('paused', () => this.#paused(), { signal })
    agent.on('connection', ({ state }) => this.#connectionIs(state), { signal })
    agent.on('error', (error) => this.#failed(error), { signal })
  }

  #paused(): void {
    this.#presence.paused()
    this.#failure = 'paused'
    this.#changes.announce()
  }

  #connectionIs(state: AgentEvents['connection']['state']): void {
    this.#connection = state
    this.#changes.announce()
  }

  /** A failure is shown unless the agent has signed out meanwhile. */
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
    this.#presence.forget()
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
