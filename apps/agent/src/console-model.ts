import { createAgent } from 'duolog/agent'
import type { Agent, AgentEvents } from 'duolog/agent'
import type { ErrorCode } from 'duolog'
import { inspection } from '../../inspector/src/recorder.ts'
import { Changes, codeOf } from '../../ui/src/index.ts'
import type { ContactSession, Observable } from '../../ui/src/index.ts'
import { accepted, farewell, untilTold } from './agent-answers.ts'
import type { Asked } from './agent-answers.ts'
import { ContactList, shownHistory } from './contact-list.ts'
import { keepIdentity } from './identity.ts'
import type { Identity } from './identity.ts'
import { IncomingOffers } from './incoming-offers.ts'
import type { Incoming } from './incoming-offers.ts'
import { Presence } from './presence.ts'
import { SignIns } from './sign-ins.ts'
import type { SignedIn } from './sign-ins.ts'
import type { TokenSource } from './token-source.ts'

type Phase = 'signed-out' | 'signing-in' | 'signed-in'
/** `paused`: by the service; `no-agent`: who has signed in is none. */
type Failure = ErrorCode | 'sign-in' | 'paused' | 'no-agent'

/** Everything that the console shows. */
export class ConsoleModel implements Observable {
  readonly #service: string
  readonly #changes = new Changes()
  readonly #history = shownHistory()
  readonly #contacts = new ContactList(this.#history, () => this.#changes.announce())
  readonly #incoming = new IncomingOffers(() => this.#changes.announce())
  readonly #presence = new Presence(() => this.#changes.announce())
  readonly #signIns: SignIns
  /** Aborted when the page is closed. */
  readonly #closed = new AbortController()
  #agent: Agent | null = null
  /** Aborted when the agent is. */
  #signedIn = new AbortController()
  #identity: Pick<Identity, 'agent'> | null = null
  #phase: Phase = 'signed-out'
  #connection: AgentEvents['connection']['state'] = 'connecting'
  #failure: Failure | null = null
  /** Of an agent who has not signed in under a name. */
  #source: TokenSource | null = null
  /** Called when the next agent signs in. */
  #onNext = (): void => {}

  /** `given`: where the application gives the tokens. */
  constructor(service: string, given: TokenSource | null = null) {
    this.#service = service
    this.#signIns = new SignIns(service, given)
  }

  get phase(): Phase {
    return this.#phase
  }
  /** How agents sign in; null while that is not known. */
  get way(): SignIns['way'] {
    return this.#signIns.way
  }
  get identity(): Pick<Identity, 'agent'> | null {
    return this.#identity
  }
  /** Null while nobody is signed in. */
  get agent(): Agent | null {
    return this.#agent
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

  readonly subscribe: Observable['subscribe'] = (listener) => this.#changes.subscribe(listener)

  /** Signs in with what an earlier page of this tab has kept, under `nick`, or as the service wants it. */
  async restore(nick: string | null): Promise<void> {
    const kept = this.#signIns.kept(nick)
    if (kept) return this.#enter(kept)
    if (nick !== null) return this.signIn(nick)
    await this.#find()
  }

  /** Signs in at the provider, or with a token of the page that embeds this one. */
  async signInElsewhere(): Promise<void> {
    if (this.#phase !== 'signed-out') return
    if (this.way !== 'oidc') return this.#find()
    const isOther = this.#failure === 'no-agent'
    this.#become('signing-in', null)
    await this.#signIns.begin(isOther).catch((thrown: unknown) => this.#refused(thrown))
  }

  async signIn(nick: string): Promise<void> {
    if (this.#phase !== 'signed-out') return
    this.#become('signing-in', null)
    try {
      const identity = await this.#signIns.locally(nick)
      if (this.#closed.signal.aborted) return
      keepIdentity(identity)
      await this.#enter(identity)
    } catch {
      this.#become('signed-out', 'sign-in')
    }
  }

  /** Signs out at once. The service is told afterwards, unless that takes long or the next agent signs in. */
  async signOut(): Promise<void> {
    const [agent, source] = [this.#agent, this.#source]
    this.#agent = this.#source = null
    for (const { calls, state } of this.sessions)
      if (state.callSince !== null || state.request) calls.hangUp()
    this.#release(null)
    const next = new Promise<void>((resolve) => (this.#onNext = resolve))
    if (agent) await farewell(agent, next)
    await source?.signOut().catch(() => undefined)
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
      const contact = await this.#asking(agent, signal, (asked) => accepted(id, asked))
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

  select(id: string | null): void {
    this.#contacts.select(id)
  }

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
    this.#closed.abort()
    this.#drop()
  }

  #drop(): void {
    this.#signedIn.abort()
    this.#incoming.clear()
    this.#contacts.clear()
    void this.#agent?.close()
    this.#agent = null
  }

  /** Takes who has signed in already, or waits for somebody to do so. */
  async #find(): Promise<void> {
    const { signal } = this.#closed
    this.#become('signing-in', null)
    try {
      const found = await this.#signIns.find(signal, (thrown) => this.#failed(thrown))
      if (signal.aborted) return
      if (found) await this.#enter(found)
      else this.#become('signed-out', null)
    } catch (thrown) {
      if (!signal.aborted) this.#refused(thrown)
    }
  }

  #refused(thrown: unknown): void {
    const code = codeOf(thrown)
    const isTold = code === 'offline' || (code === 'unauthorized' && this.#signIns.wasSignedIn)
    this.#become('signed-out', code === 'forbidden' ? 'no-agent' : isTold ? code : 'sign-in')
  }

  async #enter(identity: Identity | SignedIn): Promise<void> {
    this.#onNext()
    this.#identity = identity
    this.#source = 'source' in identity ? identity.source : null
    const token = 'token' in identity ? identity.token : (refused?: string) => identity.source.token(refused)
    this.#signedIn = new AbortController()
    const agent = createAgent({ service: this.#service, token, ...inspection('agent') })
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
    await this.#asking(agent, signal, async (asked) => {
      const contacts = await untilTold(() => agent.contacts(), asked)
      if (!signal.aborted) this.#contacts.follow(agent, contacts, signal)
    })
    if (!signal.aborted)
      await this.#asking(agent, signal, (asked) => untilTold(() => this.#presence.restore(agent), asked))
  }

  /** Shows meanwhile why the service has not decided. */
  async #asking<T>(agent: Agent, signal: AbortSignal, run: (asked: Asked) => Promise<T>): Promise<T> {
    let told: Failure | null = null
    const onUndecided = (thrown: unknown): void => {
      this.#failed(thrown)
      told = this.#failure
    }
    const answer = await run({ agent, signal, onUndecided })
    if (told !== null && this.#failure === told) this.#failure = null
    return answer
  }

  /** Until the agent signs out. */
  #listen(agent: Agent, signal: AbortSignal): void {
    this.#incoming.follow(agent, signal)
    this.#presence.follow(agent, signal)
    agent.on('paused', () => this.#paused(), { signal })
    agent.on('connection', ({ state }) => this.#connectionIs(state), { signal })
    agent.on('error', (error) => this.#failed(error), { signal })
  }

  #paused(): void {
    this.#failure = 'paused'
    this.#presence.paused()
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
    this.#source?.forget()
    this.#identity = this.#source = null
    this.#become('signed-out', failure)
  }

  #become(phase: Phase, failure: Failure | null): void {
    this.#phase = phase
    this.#failure = failure
    this.#changes.announce()
  }
}
