import { ContactError, otherSlot } from '../../../protocol/index.ts'
import type {
  ConnectedSessions,
  ContactState,
  Entry,
  RelayFrame,
  PushName,
  Pushes,
} from '../../../protocol/index.ts'
import type { OpenSession } from '../cluster/session-openings.ts'
import { ReplacedError } from '../contacts/index.ts'
import type { SessionElsewhere } from '../contacts/index.ts'
import type { Page } from '../log/read-log.ts'
import type { Channel } from './channel.ts'
import { ContactFold } from './contact-fold.ts'
import type { HealedBy } from './contact-fold.ts'
import { OpenContact } from './open-contact.ts'
import { Openings } from './openings.ts'

interface HubParts {
  readonly read: (contact: string, page: Page) => Promise<readonly Entry[]>
  readonly onHealed?: (by: HealedBy) => void
  /** A session has begun to hear, or its channel has closed and no other one has taken its place. */
  readonly onConnected?: (channel: Channel, contact: OpenContact, isHere: boolean) => void
  readonly later?: (run: () => void, delayMs: number) => void
  readonly onFault: (thrown: unknown) => void
}

/**
 * The contacts with an open channel in this process. Folds appended entries and passes them to the channels.
 */
export class Hub {
  readonly #contacts = new Map<string, OpenContact>()
  readonly #openings = new Openings()
  readonly #parts: Required<HubParts>
  #changes = 0

  constructor(parts: HubParts) {
    this.#parts = { onHealed: () => {}, onConnected: () => {}, later: afterwards, ...parts }
  }

  /** Numbers for the metrics. */
  get size(): { readonly contacts: number; readonly channels: number } {
    let channels = 0
    for (const contact of this.#contacts.values()) channels += contact.channels.size
    return { contacts: this.#contacts.size, channels }
  }

  ids(): string[] {
    return [...this.#contacts.keys()]
  }

  /** A contact that is open here; null for any other. */
  find(id: string): OpenContact | null {
    return this.#contacts.get(id) ?? null
  }

  /** The state of a contact that is open here; null for any other. */
  stateOf(id: string): ContactState | null {
    return this.#contacts.get(id)?.fold.state ?? null
  }

  /** Changes with each channel that opens or closes, here or elsewhere. */
  get changes(): number {
    return this.#changes
  }

  /**
   * From the call that opens a contact until its channel is attached: what is heard of meanwhile may be later
   * than what the call has read. Returns what ends it.
   */
  expect(id: string): () => void {
    const end = this.#openings.begin(id)
    return () => {
      const { head, heard } = end()
      for (const { session, isHere } of heard) this.hearConnected(id, session, isHere)
      this.#contacts.get(id)?.fold.reach(head, 'gap')
    }
  }

  /**
   * Opens a channel. An open channel of the same session is closed, and its connection ends: the page has
   * made another one. `elsewhere`: the sessions of the contact that other nodes have.
   *
   * @throws {@link ContactError} `offline`: its connection is gone
   */
  attach(channel: Channel, state: ContactState, elsewhere: readonly SessionElsewhere[] = []): void {
    if (!channel.sink.isOpen())
      throw new ContactError('offline', 'unable to open the contact; the connection is gone')
    const contact = this.#contacts.get(channel.contact) ?? this.#begin(channel.contact, state)
    for (const each of elsewhere) contact.hear(each, true)
    const replaced = contact.channels.get(channel.session)
    if (replaced && (replaced.epoch ?? 0) > (channel.epoch ?? 0)) throw new ReplacedError('open')
    contact.channels.set(channel.session, channel)
    this.#changed(contact)
    if (replaced) supersede(replaced, channel)
    channel.whenClosed(() => this.#forget(contact, channel))
    contact.fold.advance(state)
    for (const each of contact.channels.values()) each.reach(contact.fold.state.seq)
  }

  #begin(id: string, state: ContactState): OpenContact {
    const { read, onHealed, later, onFault } = this.#parts
    const fold = new ContactFold(state, {
      ...{ onHealed, later, onFault },
      read: (page) => read(id, page),
      take: (fresh) => this.#take(contact, fresh),
    })
    const contact = new OpenContact(id, fold)
    this.#contacts.set(id, contact)
    return contact
  }

  #changed(contact: OpenContact): void {
    contact.changed = this.#changes += 1
  }

  #forget(contact: OpenContact, channel: Channel): void {
    if (contact.channels.get(channel.session) !== channel) return
    contact.channels.delete(channel.session)
    this.#changed(contact)
    if (contact.channels.size === 0) {
      this.#contacts.delete(contact.id)
      contact.fold.close()
    } else contact.tellConnected()
    this.#parts.onConnected(channel, contact, false)
  }

  /** The open channel of a session, on any connection; null where there is none. */
  channelOf(contact: string, session: string): Channel | null {
    return this.#contacts.get(contact)?.channels.get(session) ?? null
  }

  /** Starts a channel. The other channels of the contact are told that its session is connected. */
  start(channel: Channel): void {
    channel.start()
    const contact = this.#contacts.get(channel.contact)
    if (!contact) return
    contact.tellConnected()
    this.#parts.onConnected(channel, contact, true)
  }

  /** Sessions of a contact that are connected, here or elsewhere. */
  connected(id: string): ConnectedSessions {
    return this.#contacts.get(id)?.connected ?? { visitor: [], agent: [] }
  }

  /** A session of a contact has a connection elsewhere, or has lost it. */
  hearConnected(id: string, heard: SessionElsewhere, isHere: boolean): void {
    const contact = this.#contacts.get(id)
    if (!contact) return this.#openings.hear(id, { session: heard, isHere })
    contact.hear(heard, isHere)
    this.#changed(contact)
    contact.tellConnected()
  }

  /** The session was opened at another node: the connection of a former opening ends. Gives whether there was one. */
  superseded({ contact: id, session, epoch }: OpenSession, node: string): boolean {
    const channel = this.channelOf(id, session)
    if (!channel || channel.epoch === null || channel.epoch >= epoch) return false
    this.find(id)?.hear({ session, slot: channel.slot, node, epoch }, true)
    supersede(channel, null)
    return true
  }

  /** Closes the channel of a lost connection. Returns false where the session already has another channel. */
  detach(channel: Channel): boolean {
    const isCurrent = this.channelOf(channel.contact, channel.session) === channel
    channel.close()
    return isCurrent
  }

  /**
   * Sends the log up to `head`, its end, to the parties of a contact that is to be erased. Resolves when they
   * have it. Those who do not have it at `limit` get only the last entry.
   */
  async conclude(id: string, head: number, limit: Promise<unknown>): Promise<void> {
    const contact = this.#contacts.get(id)
    if (!contact) return
    const channels = [...contact.channels.values()]
    const end = Math.max(head, contact.fold.state.seq)
    await Promise.race([Promise.all(channels.map((channel) => channel.delivered(end))), limit])
    const { last } = contact.fold
    if (last) for (const channel of channels) channel.conclude(last)
  }

  /** Closes all channels of a contact that was erased. */
  drop(id: string): void {
    const contact = this.#contacts.get(id)
    const channels = [...(contact?.channels.values() ?? [])]
    this.#contacts.delete(id)
    contact?.channels.clear()
    contact?.fold.close()
    for (const channel of channels) channel.close()
  }

  /** Sends a push that is not in the log to the visitor's connections. */
  tellVisitor<P extends PushName>(id: string, name: P, body: Pushes[P]): void {
    for (const channel of this.#contacts.get(id)?.channels.values() ?? [])
      if (channel.slot === 'visitor') channel.tell(name, body)
  }

  /** Entries that were stored, here or elsewhere. */
  appended(id: string, entries: readonly Entry[]): void {
    const contact = this.#contacts.get(id)
    if (contact) contact.fold.take(entries)
    else this.#openings.reach(id, entries.at(-1)?.seq ?? 0)
  }

  #take(contact: OpenContact, fresh: readonly Entry[]): void {
    this.#tell([...contact.channels.values()], fresh)
    if (fresh.some(({ type }) => type === 'present')) contact.tellConnected()
  }

  /**
   * The writer's channel gets entries after the other channels of this turn: they wait for new entries, the
   * writer only for a confirmation.
   */
  #tell(channels: readonly Channel[], fresh: readonly Entry[]): void {
    const writers = new Set(fresh.map((entry) => (entry.slot === 'service' ? null : entry.session)))
    for (const channel of channels) if (!writers.has(channel.session)) channel.offer(fresh)
    const own = channels.filter(({ session }) => writers.has(session))
    Promise.resolve()
      .then(() => own.forEach((channel) => channel.offer(fresh)))
      .catch(this.#parts.onFault)
  }

  /** The log ends with the entry `head`: reads what this process has not received. */
  check(id: string, head: number, by: HealedBy = 'poll'): void {
    const contact = this.#contacts.get(id)
    if (!contact) return this.#openings.reach(id, head)
    for (const channel of contact.channels.values()) channel.pump()
    contact.fold.reach(head, by)
  }

  /**
   * Passes a frame from the session of `sender` to the session `to`. False: that has no connection here, or the
   * sender has replaced its own.
   *
   * @throws {@link ContactError} `peer_left`, `rate_limited`
   */
  relay(sender: Channel, to: string, frame: RelayFrame): boolean {
    const contact = this.#contacts.get(sender.contact)
    const sessions = contact?.fold.state.shared.session
    if (
      !contact ||
      !sessions ||
      sessions[sender.slot] !== sender.session ||
      sessions[otherSlot(sender.slot)] !== to
    ) {
      throw new ContactError(
        'peer_left',
        'unable to hand over the frame; the two sessions do not hold the slots of the contact',
      )
    }
    const receiver = contact.channels.get(to)
    if (!receiver?.sink.isOpen() || !contact.mayPass(sender)) return false
    if (!receiver.pass(frame, sender.session, contact.fold.state.seq))
      throw new ContactError(
        'rate_limited',
        'unable to hand over the frame; too many wait for the other session',
      )
    return true
  }
}

/** It closes first, so that the end of the connection is no loss of this session. */
function supersede(channel: Channel, by: Channel | null): void {
  channel.close()
  if (channel.sink !== by?.sink) channel.sink.close()
}

const afterwards = (run: () => void, delayMs: number): void => void setTimeout(run, delayMs).unref()
