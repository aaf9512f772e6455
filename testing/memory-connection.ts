import { ContactError, LIMITS, isCallName, parseCall, parsePush, parseReply } from '../protocol/index.ts'
import type {
  AgentPresence,
  CallName,
  Calls,
  ConnectedSessions,
  Connection,
  Entry,
  ErrorCode,
  Push,
  TransportEvent,
} from '../protocol/index.ts'
import type { MemoryContact } from './memory-contact.ts'
import type { Fate } from './memory-faults.ts'
import type { Party } from './party.ts'

const lost = (name: string): ContactError =>
  new ContactError('offline', `unable to call ${name}; the connection was lost`)
/** Most entries in one push. */
const PAGE = 100
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The service as its connections need it. */
export interface ConnectionHost {
  /** Why a connection is refused for good. */
  refusalOf(party: Party): ErrorCode | undefined
  /** What becomes of a new connection. */
  connectionFate(party: Party): 'pass' | 'drop'
  /** What becomes of a message. */
  fateOf(party: Party, name: string, body: unknown): Fate
  /** Carries out a call. */
  answer<N extends CallName>(connection: MemoryConnection, name: N, args: Calls[N]['args']): unknown
  /** Sends what the open channels have not been sent yet. */
  deliver(): void
  /** An entry as its readers see it. */
  shown(entry: Entry): Entry
  /** Whether a session has a connection. */
  isOpen(contact: string, session: string): boolean
  /** Tells the pages of a contact which sessions are connected. */
  tellConnected(contact: MemoryContact): void
  /** A connection is gone. */
  forget(connection: MemoryConnection): void
  /** What an agent takes, as one of their connections has said it. */
  presenceOf(party: Party): AgentPresence | null
}

/**
 * One connection of a party. Everything crosses as JSON and is checked as on the wire; a call that does not
 * fit in a frame ends it.
 */
export class MemoryConnection implements Connection {
  readonly party: Party
  /** What an agent takes, where a page of theirs has said so. */
  presence: AgentPresence | null = null
  readonly #service: ConnectionHost
  #onEvent: ((event: TransportEvent) => void) | null
  #isUp = false
  #channels: {
    readonly contact: MemoryContact
    readonly session: string
    readonly head: number
    sent: number
    told: string
  }[] = []

  constructor(service: ConnectionHost, party: Party, onEvent: (event: TransportEvent) => void) {
    this.#service = service
    this.party = party
    this.#onEvent = onEvent
    this.#later(() => {
      const refusal = service.refusalOf(party)
      if (refusal !== undefined)
        this.fail(new ContactError(refusal, 'unable to connect; the service refuses this party'))
      else if (service.connectionFate(party) === 'drop') this.fail()
      else this.#comeUp()
    })
  }

  async call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    const sent = copy(args)
    if (!this.#isUp) throw lost(name)
    await Promise.resolve()
    if (new TextEncoder().encode(JSON.stringify(args)).length > LIMITS.frameBytes) this.fail()
    if (!this.#onEvent) throw lost(name)
    const fate = this.#service.fateOf(this.party, name, sent)
    const reply = fate === 'drop' ? undefined : copy(this.#reply(name, sent))
    if (fate !== 'pass') this.fail()
    await Promise.resolve()
    this.#later(() => this.#service.deliver())
    if (!this.#onEvent) throw lost(name)
    return parseReply(name, reply)
  }

  #comeUp(): void {
    this.#isUp = true
    this.#onEvent?.({ type: 'up' })
    const presence = this.#service.presenceOf(this.party)
    if (presence?.state === 'ready') this.present(presence)
  }

  /** An agent who takes contacts. */
  get ready(): boolean {
    return this.presence?.state === 'ready'
  }

  /** A page of the agent has said what they take. */
  present(presence: AgentPresence): void {
    this.presence = presence
    this.push({ name: 'agent.presence', body: presence })
  }

  #reply(name: string, args: unknown): unknown {
    try {
      if (!isCallName(name)) throw new ContactError('protocol', 'unable to answer; there is no such call')
      if (
        name.startsWith('agent.')
          ? this.party.slot !== 'agent'
          : name === 'contact.create' && this.party.slot !== 'visitor'
      )
        throw new ContactError('forbidden', `unable to carry out ${name}; it belongs to the other party`)
      return { ok: true, value: this.#service.answer(this, name, parseCall(name, args)) }
    } catch (thrown) {
      const { code, message } = thrown as ContactError
      return { ok: false, error: { code: code ?? 'internal', message } }
    }
  }

  open(contact: MemoryContact, session: string, cursor: number): void {
    contact.announce(session, this.party)
    this.shut(contact.id, session)
    this.#channels.push({ contact, session, head: contact.entries.length, sent: cursor, told: '' })
  }

  shut(contact: string, session: string): void {
    this.#channels = this.#channels.filter(
      (channel) => channel.contact.id !== contact || channel.session !== session,
    )
  }

  has = (contact: string, session: string): boolean =>
    this.#channels.some((channel) => channel.contact.id === contact && channel.session === session)

  /** Sessions of a contact that are open here. */
  sessionsOf = (contact: string): string[] =>
    this.#channels.flatMap((channel) => (channel.contact.id === contact ? [channel.session] : []))

  deliver(): void {
    for (const channel of this.#channels) {
      const { contact, session, sent, head } = channel
      const fresh = contact.entries.slice(sent)
      const end = fresh.findIndex((entry) => entry.seq > head && this.#isLost(entry))
      const entries = (end === -1 ? fresh : fresh.slice(0, end + 1)).map((entry) =>
        this.#service.shown(entry),
      )
      channel.sent = sent + entries.length
      for (let from = 0; from < entries.length; from += PAGE)
        this.push({
          name: 'log.entries',
          body: { contact: contact.id, entries: entries.slice(from, from + PAGE) },
        })
      if (end === -1) continue
      this.shut(contact.id, session)
      this.#service.tellConnected(contact)
    }
  }

  /** Tells the pages of a contact which sessions are connected, where they do not know yet. */
  tellConnected(contact: string, connected: ConnectedSessions): void {
    const list = JSON.stringify(connected)
    const channels = this.#channels.filter(
      (channel) => channel.contact.id === contact && channel.told !== list,
    )
    for (const channel of channels) channel.told = list
    if (channels.length > 0) this.push({ name: 'contact.connected', body: { contact, connected } })
  }

  /** Whether the agent has no part in the contact from then on. */
  #isLost({ type, body }: Entry): boolean {
    return this.party.slot === 'agent' && type === 'declined' && 'user' in body && body.user === this.party.id
  }

  push = (push: Push): void => {
    const { name, body } = copy(push)
    if (this.#service.fateOf(this.party, name, body) !== 'pass') return this.fail()
    this.#later(() => {
      const parsed = parsePush(name, body)
      if (parsed) this.#onEvent?.({ type: 'push', push: parsed })
    })
  }

  /** The connection breaks: what is under way is lost. */
  fail(error = new ContactError('offline', 'unable to reach the service; the connection was lost')): void {
    const tell = this.#onEvent
    this.close()
    tell?.({ type: 'down', error })
  }

  close(): void {
    const open = this.#channels
    this.#onEvent = null
    this.#isUp = false
    this.#channels = []
    this.#service.forget(this)
    for (const { contact, session } of open)
      if (!this.#service.isOpen(contact.id, session)) contact.lose(session, this.party.slot)
    for (const contact of new Set(open.map((channel) => channel.contact)))
      this.#service.tellConnected(contact)
  }

  #later = (run: () => void): void => queueMicrotask(run)
}
