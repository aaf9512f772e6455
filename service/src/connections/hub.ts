import { ContactError, connectedSessions, foldContact, otherSlot } from '../../../protocol/index.ts'
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
import type { Page } from '../log/read-log.ts'
import type { Channel } from './channel.ts'

interface OpenContact {
  readonly id: string
  /** The folded state of the stored entries that this process has received. */
  state: ContactState
  readonly channels: Map<string, Channel>
  /** Number of the last known entry. */
  head: number
  /** The entry that ended the contact. */
  last: Entry | null
  /** Whether a gap is being read from the log. */
  mending: boolean
}

interface HubParts {
  readonly read: (contact: string, page: Page) => Promise<readonly Entry[]>
  readonly onFault: (thrown: unknown) => void
}

const PAGE = 500

/**
 * The contacts with an open channel in this process. Folds appended entries and passes them to the channels.
 */
export class Hub {
  readonly #contacts = new Map<string, OpenContact>()
  readonly #parts: HubParts

  constructor(parts: HubParts) {
    this.#parts = parts
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

  /** The state of a contact that is open here; null for any other. */
  stateOf(id: string): ContactState | null {
    return this.#contacts.get(id)?.state ?? null
  }

  /**
   * Opens a channel. An open channel of the same session is closed, and its connection ends: the page has
   * made another one.
   *
   * @throws {@link ContactError} `offline`: its connection is gone
   */
  attach(channel: Channel, state: ContactState): void {
    if (!channel.sink.isOpen())
      throw new ContactError('offline', 'unable to open the contact; the connection is gone')
    const contact = this.#contacts.get(channel.contact) ?? {
      id: channel.contact,
      state,
      channels: new Map<string, Channel>(),
      head: state.seq,
      last: null,
      mending: false,
    }
    this.#contacts.set(channel.contact, contact)
    const replaced = contact.channels.get(channel.session)
    if (replaced && (replaced.epoch ?? 0) > (channel.epoch ?? 0)) throw new ReplacedError('open')
    contact.channels.set(channel.session, channel)
    if (replaced) supersede(replaced, channel)
    channel.whenClosed(() => this.#forget(contact, channel))
    if (state.seq > contact.state.seq) contact.state = state
    for (const each of contact.channels.values()) each.reach(contact.state.seq)
  }

  #forget(contact: OpenContact, channel: Channel): void {
    if (contact.channels.get(channel.session) !== channel) return
    contact.channels.delete(channel.session)
    if (contact.channels.size === 0) this.#contacts.delete(contact.id)
    else tellConnected(contact)
  }

  /** The open channel of a session, on any connection; null where there is none. */
  channelOf(contact: string, session: string): Channel | null {
    return this.#contacts.get(contact)?.channels.get(session) ?? null
  }

  /** Starts a channel. The other channels of the contact are told that its session is connected. */
  start(channel: Channel): void {
    channel.start()
    const contact = this.#contacts.get(channel.contact)
    if (contact) tellConnected(contact)
  }

  /** Sessions of a contact that are connected here. */
  connected(id: string): ConnectedSessions {
    const contact = this.#contacts.get(id)
    return contact ? connectedIn(contact) : { visitor: [], agent: [] }
  }

  /** The session was opened elsewhere: the connection of a former opening ends. Gives whether there was one. */
  superseded({ contact, session, epoch }: OpenSession): boolean {
    const channel = this.channelOf(contact, session)
    if (!channel || channel.epoch === null || channel.epoch >= epoch) return false
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
    const end = Math.max(head, contact.state.seq)
    await Promise.race([Promise.all(channels.map((channel) => channel.delivered(end))), limit])
    const { last } = contact
    if (last) for (const channel of channels) channel.conclude(last)
  }

  /** Closes all channels of a contact that was erased. */
  drop(id: string): void {
    const contact = this.#contacts.get(id)
    const channels = [...(contact?.channels.values() ?? [])]
    this.#contacts.delete(id)
    contact?.channels.clear()
    for (const channel of channels) channel.close()
  }

  /** Sends a push that is not in the log to the visitor's connections. */
  tellVisitor<P extends PushName>(id: string, name: P, body: Pushes[P]): void {
    for (const channel of this.#contacts.get(id)?.channels.values() ?? [])
      if (channel.slot === 'visitor') channel.tell(name, body)
  }

  /** Handles a notification of appended entries. */
  appended(id: string, entries: readonly Entry[]): void {
    const contact = this.#contacts.get(id)
    const first = entries[0]
    if (!contact || !first) return
    if (first.seq > contact.state.seq + 1) return this.check(id, entries.at(-1)?.seq ?? first.seq)
    const fresh = entries.filter((entry) => entry.seq > contact.state.seq)
    for (const entry of fresh) contact.state = foldContact(contact.state, entry).state
    this.#tell([...contact.channels.values()], fresh)
    contact.last = fresh.find(({ type }) => type === 'cleared') ?? contact.last
    if (fresh.some(({ type }) => type === 'present')) tellConnected(contact)
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

  /** Compares with `head`, the end of the log, and reads the entries that this process has not received. */
  check(id: string, head: number): void {
    const contact = this.#contacts.get(id)
    if (!contact) return
    contact.head = Math.max(contact.head, head)
    for (const channel of contact.channels.values()) channel.pump()
    if (contact.mending || contact.state.seq >= contact.head) return
    contact.mending = true
    this.#mend(contact)
      .catch(this.#parts.onFault)
      .finally(() => {
        contact.mending = false
      })
  }

  /**
   * Passes a frame from the session of `sender` to the session `to`.
   *
   * @throws {@link ContactError} `peer_left`, `offline`, `rate_limited`
   */
  relay(sender: Channel, to: string, frame: RelayFrame): void {
    const contact = this.#contacts.get(sender.contact)
    const sessions = contact?.state.shared.session
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
    if (!receiver?.sink.isOpen())
      throw new ContactError(
        'offline',
        'unable to hand over the frame; the other session has no connection at the moment',
      )
    if (!receiver.pass(frame, sender.session, contact.state.seq))
      throw new ContactError(
        'rate_limited',
        'unable to hand over the frame; too many wait for the other session',
      )
  }

  async #mend(contact: OpenContact): Promise<void> {
    while (contact.state.seq < contact.head) {
      const after = contact.state.seq
      this.appended(contact.id, await this.#parts.read(contact.id, { after, limit: PAGE }))
      if (contact.state.seq === after) return
    }
  }
}

/** It closes first, so that the end of the connection is no loss of this session. */
function supersede(channel: Channel, by: Channel | null): void {
  channel.close()
  if (channel.sink !== by?.sink) channel.sink.close()
}

const connectedIn = ({ channels, state }: OpenContact): ConnectedSessions =>
  connectedSessions(channels.values(), state.shared)

function tellConnected(contact: OpenContact): void {
  const connected = connectedIn(contact)
  for (const channel of contact.channels.values()) channel.tellConnected(connected)
}
