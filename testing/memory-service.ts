import { ContactError, connectedSessions, nickIn } from '../protocol/index.ts'
import type {
  AgentPresence,
  CallName,
  Calls,
  Clock,
  ConnectedSessions,
  ContactData,
  Entry,
  Transport,
} from '../protocol/index.ts'
import { MemoryConnection } from './memory-connection.ts'
import type { ConnectionHost } from './memory-connection.ts'
import { MemoryContact } from './memory-contact.ts'
import { ScriptedFaults } from './memory-faults.ts'
import { deskOf, distributionOf, listOf, noteOn, rateOf } from './memory-desk.ts'
import { MemoryFiles } from './memory-files.ts'
import { pageOf } from './memory-log.ts'
import { relayTo } from './memory-relay.ts'
import type { Party, TransferTo } from './party.ts'

/** The contact service in memory: the real wire messages and rules, without a network or a store. */
export class MemoryService extends ScriptedFaults implements ConnectionHost {
  readonly contacts = new Map<string, MemoryContact>()
  /** Files that were sent, and the faults of their uploads. */
  readonly files = new MemoryFiles()
  readonly #clock: Clock
  readonly #connections = new Set<MemoryConnection>()
  /** Contacts by who asked for them in which request. */
  readonly #requests = new Map<string, { contact: string }>()

  constructor(clock: Clock) {
    super()
    this.#clock = clock
  }

  /** A way for `party` to reach this service. */
  transport = (party: Party): Transport => ({
    connect: (onEvent) => {
      const connection = new MemoryConnection(this, party, onEvent)
      this.#connections.add(connection)
      return connection
    },
  })

  /**
   * Breaks every connection of a slot, or those of one page (the very party that was given to
   * {@link MemoryService.transport}). They connect again by themselves.
   */
  cut(whose: Party['slot'] | Party): void {
    for (const connection of [...this.#connections])
      if (connection.party === whose || connection.party.slot === whose) connection.fail()
  }

  /** An entry as its readers see it. */
  shown = (entry: Entry): Entry => this.files.shown(entry)

  /** A connection is gone. */
  forget = (connection: MemoryConnection): void => void this.#connections.delete(connection)

  /** What an agent takes, as a page of theirs has said it. */
  presenceOf = (party: Party): AgentPresence | null =>
    this.#pagesOf(party).find(({ presence }) => presence)?.presence ?? null

  #pagesOf = ({ slot, id }: Party): MemoryConnection[] =>
    [...this.#connections].filter(({ party }) => party.slot === slot && party.id === id)

  /** Whether a session has a connection. */
  isOpen = (contact: string, session: string): boolean =>
    [...this.#connections].some((connection) => connection.has(contact, session))

  /** Sessions of a contact that have a connection. */
  connected = (contact: MemoryContact): ConnectedSessions =>
    connectedSessions(
      [...this.#connections].flatMap((connection) =>
        connection.sessionsOf(contact.id).map((session) => ({ slot: connection.party.slot, session })),
      ),
      contact.state.shared,
    )

  /** Tells the pages of a contact which sessions are connected. */
  tellConnected(contact: MemoryContact): void {
    const connected = this.connected(contact)
    for (const connection of this.#connections) connection.tellConnected(contact.id, connected)
  }

  /** Sends what the open channels have not been sent yet. */
  deliver(): void {
    for (const connection of this.#connections) if (!this.isHeld(connection.party.slot)) connection.deliver()
  }

  /** Carries out a call. */
  answer<N extends CallName>(connection: MemoryConnection, name: N, args: Calls[N]['args']): unknown {
    const handlers: { [M in CallName]: (args: Calls[M]['args']) => Calls[M]['result'] } = {
      'contact.create': ({ request, contact }) => this.#createOnce(connection.party, request, contact),
      'contact.open': (asked) => this.#open(connection, asked),
      'contact.list': () => listOf(this.contacts, connection.party),
      'contact.read': ({ contact }) => ({
        record: this.#record(this.#readable(connection.party, contact), connection.party.slot),
      }),
      'contact.leave': ({ contact, session }) => this.#leave(connection, contact, session),
      'contact.rate': (said) => rateOf(this.#connections, this.#owned(connection.party, said.contact), said),
      'log.append': ({ contact, session, drafts }) => {
        const [{ slot }, owned] = [connection.party, this.#owned(connection.party, contact)]
        if (drafts.some(({ type }) => type === 'offer' || type === 'direct')) this.release(slot)
        const appended = owned.append(slot, session, drafts)
        if (drafts.some(({ type }) => type === 'present')) this.tellConnected(owned)
        return { appended }
      },
      'log.read': ({ contact, after, limit }) => {
        const { entries } = this.#readable(connection.party, contact)
        return {
          entries: pageOf(entries.slice(after, after + limit)).map(this.shown),
          head: entries.length,
        }
      },
      'relay.send': (sent) =>
        relayTo(this.#connections, connection.party, this.#owned(connection.party, sent.contact), sent),
      'attachment.open': (asked) => {
        const contact = this.#owned(connection.party, asked.contact)
        const author = connection.party.slot === 'visitor' ? contact.visitor : connection.party
        return this.files.open(contact, author, asked)
      },
      'attachment.url': ({ contact, id }) => this.files.url(this.#readable(connection.party, contact), id),
      'link.renew': () => ({ expiresInMs: 900_000 }),
      'ice.servers': () => ({ iceServers: [], expiresInMs: 600_000 }),
      'agent.presence': (presence) => {
        for (const each of this.#pagesOf(connection.party)) each.present(presence)
        for (const contact of connection.ready ? this.contacts.values() : [])
          if (contact.state.life === 'queued')
            for (const each of this.#pagesOf(connection.party)) this.#offer(contact, each)
        return {}
      },
      'agent.accept': ({ contact }) => this.#accept(connection.party, contact),
      'agent.decline': ({ contact }) => this.#decline(connection.party, contact),
      'agent.transfer': ({ contact, note, ...to }) => {
        if (note !== undefined) noteOn(this.#owned(connection.party, contact), connection.party, note)
        return this.#transfer(connection.party, contact, to)
      },
      ...deskOf({
        ...{ connections: this.#connections, contacts: this.contacts, party: connection.party },
        owned: (contact) => this.#owned(connection.party, contact),
        readable: (contact) => this.#readable(connection.party, contact),
      }),
      'agent.edit': (edit) => this.#owned(connection.party, edit.contact).edit(edit),
      'agent.contacts': () => ({ records: this.#recordsOf(connection.party) }),
    }
    return handlers[name](args)
  }

  #record(contact: MemoryContact, reader: Party['slot']): ContactData {
    return { ...contact.record(reader), files: this.files.rules }
  }

  /** Contacts that an agent has taken and that are not over. */
  #recordsOf({ id }: Party): ContactData[] {
    const isTheirs = ({ agent, state, successor }: MemoryContact): boolean =>
      agent?.id === id && state.life !== 'cleared' && successor === null
    return [...this.contacts.values()].filter(isTheirs).map((contact) => this.#record(contact, 'agent'))
  }

  #open(
    connection: MemoryConnection,
    { contact, session, cursor, last }: Calls['contact.open']['args'],
  ): Calls['contact.open']['result'] {
    const owned = this.#owned(connection.party, contact)
    connection.open(owned, session, cursor)
    for (const earlier of this.#connections) if (earlier !== connection) earlier.shut(contact, session)
    this.tellConnected(owned)
    return {
      head: owned.entries.length,
      counter: owned.counterOf(session),
      record: this.#record(owned, connection.party.slot),
      connected: this.connected(owned),
      ...(last && { same: owned.entries[last.seq - 1]?.id === last.id }),
    }
  }

  #createOnce(
    party: Party,
    name: string,
    request: Calls['contact.create']['args']['contact'],
  ): { contact: string } {
    const key = `${party.id} ${name}`
    const made = this.#requests.get(key) ?? this.#create(party, request)
    this.#requests.set(key, made)
    return made
  }

  #create(
    party: Party,
    request: Calls['contact.create']['args']['contact'],
    how: TransferTo & { readonly transferredFrom?: string } = {},
  ): { contact: string } {
    const id = `contact-${this.contacts.size + 1}`
    const nick = request.nick ?? nickIn(request.data ?? [])
    const visitor = nick === undefined ? party : { ...party, nick }
    const { transferredFrom, toAgent } = how
    const contact = new MemoryContact({
      ...{ id, visitor, request, clock: this.#clock, onLimit: () => this.deliver() },
      ...(transferredFrom !== undefined && { transferredFrom }),
      onTransfer: (to, carried) => this.#create(visitor, carried, { transferredFrom: id, ...to }).contact,
    })
    this.contacts.set(id, contact)
    for (const connection of this.#connections)
      if (connection.ready && connection.party.id === (toAgent ?? connection.party.id))
        this.#offer(contact, connection)
    return { contact: id }
  }

  #transfer(party: Party, id: string, to: TransferTo): { contact: string } {
    const contact = this.#owned(party, id)
    if (to.toAgent === party.id)
      throw new ContactError('invalid_argument', 'unable to transfer the contact; this agent has it already')
    if (contact.isDeserted)
      throw new ContactError('invalid_state', 'unable to transfer the contact; its visitor has left')
    if (contact.state.life === 'joined') return { contact: contact.transfer(to) }
    contact.decline(party)
    return { contact: id }
  }

  #offer(contact: MemoryContact, to: MemoryConnection): void {
    to.push({ name: 'agent.distribution', body: distributionOf(contact) })
  }

  #accept(party: Party, id: string): Calls['agent.accept']['result'] {
    const contact = this.contacts.get(id)
    if (!contact) throw notFound()
    if (contact.agent?.id === party.id) {
      if (contact.state.life === 'cleared' || contact.successor !== null)
        throw new ContactError(
          'left',
          'unable to accept the contact; it has ended, or gone on with another agent',
        )
      return { record: this.#record(contact, 'agent') }
    }
    if (contact.state.life !== 'queued')
      throw new ContactError('not_assigned', 'unable to accept the contact; it is not to be had')
    contact.assign(party)
    for (const { party: other, ready, push } of this.#connections) {
      const own = other.id === party.id
      if (ready || own) push({ name: 'agent.withdrawn', body: { id, reason: 'taken', ...(own && { own }) } })
    }
    return { record: this.#record(contact, 'agent') }
  }

  #decline(party: Party, id: string): Calls['agent.decline']['result'] {
    const contact = this.contacts.get(id)
    if (!contact) throw notFound()
    if (contact.state.life !== 'queued' && contact.agent?.id !== party.id)
      throw new ContactError('not_assigned', 'unable to decline the contact; it is not offered')
    if (contact.state.life !== 'joined') contact.decline(party)
    return {}
  }

  #leave(connection: MemoryConnection, id: string, session: string): Calls['contact.leave']['result'] {
    const contact = this.#owned(connection.party, id)
    if (!contact.isOf(session, connection.party))
      throw new ContactError('not_joined', 'unable to leave the contact; this session has not opened it')
    let goesOn = contact.leave(session, connection.party.slot)
    for (
      let next = this.contacts.get(contact.successor ?? '');
      next && goesOn;
      next = this.contacts.get(next.successor ?? '')
    )
      goesOn = next.leave(session, connection.party.slot)
    this.deliver()
    connection.shut(id, session)
    this.tellConnected(contact)
    return { head: contact.entries.length }
  }

  /** What was said in a contact is also the business of the agent who has it under a later id, unless it was secure. */
  #readable(party: Party, id: string): MemoryContact {
    const contact = this.contacts.get(id)
    let next = contact
    while (next && next.successor !== null) next = this.contacts.get(next.successor)
    const isHandedOn = contact !== next && party.slot === 'agent' && next?.agent?.id === party.id
    return contact && isHandedOn && !contact.state.keys ? contact : this.#owned(party, id)
  }

  #owned(party: Party, id: string): MemoryContact {
    const contact = this.contacts.get(id)
    if (!contact || (party.slot === 'visitor' && contact.visitor.id !== party.id)) throw notFound()
    if (party.slot === 'agent' && (contact.agent?.id !== party.id || contact.successor !== null)) {
      const hadIt = contact.entries.some(({ type, body }) => type === 'assigned' && body.user === party.id)
      throw new ContactError(
        hadIt ? 'left' : 'not_assigned',
        'unable to use the contact; it is not with this agent',
      )
    }
    return contact
  }
}

const notFound = (): ContactError =>
  new ContactError('not_found', 'unable to find the contact; there is none of this id')
