import { createAgent } from 'duolog/agent'
import type { Agent, AgentEvents, TransferTarget } from 'duolog/agent'
import type { Contact, ErrorCode } from 'duolog'
import { inspection } from '../../inspector/src/recorder.ts'
import { Changes, ContactSession, codeOf, tabHistory } from '../../ui/src/index.ts'
import type { Observable } from '../../ui/src/index.ts'
import { keepIdentity, keepReady, keptIdentity, signInLocally, wasReady } from './identity.ts'
import type { Identity } from './identity.ts'

/** A contact that waits for this agent's answer. */
export interface Incoming {
  readonly offered: AgentEvents['distribution']
  /** When the offer lapses, on the clock of `performance.now()`. */
  readonly deadlineMs: number
  readonly isAnswered: boolean
}

type Phase = 'signed-out' | 'signing-in' | 'signed-in'

/** Everything that the console shows. */
export class ConsoleModel implements Observable {
  readonly #service: string
  readonly #changes = new Changes()
  readonly #sessions = new Map<string, ContactSession>()
  readonly #unwatch = new Map<string, () => void>()
  #agent: Agent | null = null
  #identity: Identity | null = null
  #phase: Phase = 'signed-out'
  #incoming: readonly Incoming[] = []
  #isReady = false
  #connection: AgentEvents['connection']['state'] = 'connecting'
  #selected: string | null = null
  #failure: ErrorCode | 'sign-in' | null = null
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
    return this.#incoming
  }
  get isReady(): boolean {
    return this.#isReady
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
  get failure(): ErrorCode | 'sign-in' | null {
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
    this.#isReady = isReady
    keepReady(isReady)
    await this.#attempt((agent) => (isReady ? agent.ready() : agent.pause()))
    if (this.#failure) this.#isReady = !isReady
    this.#changes.announce()
  }

  async accept(id: string): Promise<void> {
    if (!this.#agent || !this.#mark(id)) return
    await this.#attempt(async (agent) => {
      const contact = await agent.accept(id)
      if (this.#agent !== agent) return
      const session = this.#add(contact)
      this.select(id)
      await session.join()
    })
    this.#forget(id)
  }

  async decline(id: string): Promise<void> {
    if (!this.#mark(id)) return
    await this.#attempt((agent) => agent.decline(id))
    this.#forget(id)
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
    for (const id of [...this.#sessions.keys()]) this.dismiss(id)
    void this.#agent?.close()
    this.#agent = null
  }

  async #enter(identity: Identity): Promise<void> {
    this.#identity = identity
    const agent = createAgent({ service: this.#service, token: identity.token, ...inspection('agent') })
    this.#agent = agent
    this.#listen(agent)
    this.#become('signed-in', null)
    await this.#attempt(async () => {
      const contacts = await agent.contacts()
      if (this.#agent !== agent) return
      const sessions = contacts.map((contact) => this.#add(contact))
      if (this.#selected === null && sessions[0]) this.select(sessions[0].contact.id)
      await Promise.all(sessions.map(async (session) => session.join()))
    })
    if (wasReady() && this.#agent === agent) await this.setReady(true)
  }

  #listen(agent: Agent): void {
    agent.on('distribution', (offered) => {
      this.#forget(offered.id)
      this.#incoming = [
        ...this.#incoming,
        { offered, deadlineMs: performance.now() + offered.expiresInMs, isAnswered: false },
      ]
      this.#changes.announce()
    })
    agent.on('withdrawn', ({ id }) => this.#forget(id))
    agent.on('connection', ({ state }) => {
      this.#connection = state
      this.#changes.announce()
    })
    agent.on('error', (error) => this.#failed(error))
  }

  #add(contact: Contact): ContactSession {
    const { id } = contact
    this.dismiss(id)
    const session = new ContactSession(contact, { history: tabHistory(() => sessionStorage) })
    this.#sessions.set(id, session)
    this.#unwatch.set(
      id,
      session.subscribe(() => this.#changes.announce()),
    )
    return session
  }

  /** Marks an offer as answered; false where it is gone or answered already. */
  #mark(id: string): boolean {
    const found = this.#incoming.find(({ offered, isAnswered }) => offered.id === id && !isAnswered)
    this.#incoming = this.#incoming.map((one) => (one === found ? { ...one, isAnswered: true } : one))
    this.#changes.announce()
    return found !== undefined
  }

  #forget(id: string): void {
    this.#incoming = this.#incoming.filter(({ offered }) => offered.id !== id)
    this.#changes.announce()
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

  /** Back to signing in. */
  #release(failure: ErrorCode | null): void {
    keepIdentity(null)
    keepReady(false)
    this.#drop()
    this.#incoming = []
    this.#isReady = false
    this.#identity = null
    this.#become('signed-out', failure)
  }

  #become(phase: Phase, failure: ErrorCode | 'sign-in' | null): void {
    this.#phase = phase
    this.#failure = failure
    this.#changes.announce()
  }
}
