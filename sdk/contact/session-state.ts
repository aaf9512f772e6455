import { algebra, deferred, isHolderGone } from '../../protocol/index.ts'
import type { Calls, ConnectedSessions, ContactData, MediaOffer, Slot } from '../../protocol/index.ts'
import { ContactLog } from '../log/log-reader.ts'
import type { KnownEntry, LogGuard, ReadEntry } from '../log/log-reader.ts'
import type { EntryLine } from '../log/replay-limit.ts'
import type { SavedState } from './saved-state.ts'
import { randomName } from '../values/random-id.ts'
import type { PendingMemory } from '../media/pending-offer.ts'

export interface SessionStateOptions {
  readonly role: Slot
  readonly record: ContactData
  readonly saved: SavedState
  /**
   * Last entry whose events the application has seen: those up to it are folded silently. Null: all that
   * exist when the contact is entered.
   */
  readonly seen: number | null
  /** The state of the same session whose log is read again from its start. */
  readonly before?: SessionState | undefined
  /** Of a secure contact: its log is read from the start, as the seals are over all of it. */
  readonly guard?: LogGuard | null
  readonly onEntry: (read: ReadEntry) => void
  readonly onGap: (isAwaited: boolean) => void
  readonly line: EntryLine
}

/** Entries between two checkpoints. */
const CHECKPOINT_EVERY = 64

/**
 * What a page's session knows of its contact under one id. It decides nothing: the contact's session does,
 * and begins the next one when the contact goes on under another id.
 */
export class SessionState {
  readonly session: string
  /** The log was read before, and has changed since. */
  readonly isReadAgain: boolean
  readonly saved: SavedState
  readonly log: ContactLog
  /**
   * The contact's first offer, relative to the agent: as this tab has asked for it, never as a record says it,
   * since an own offer starts devices.
   */
  readonly firstOffer: MediaOffer | undefined
  record: ContactData
  seen: number | null
  /**
   * Sessions that are connected, as far as the service and this tab know on this connection; null until the
   * service has said so.
   */
  connected: ConnectedSessions | null = null
  /** Under which id the contact goes on, once it does. */
  next: string | null = null
  /** How often this page has opened its session: the last opening counts, whenever it arrives. */
  #openings: number
  readonly #moving = deferred()
  /** Resolves when the contact goes on under another id. */
  readonly moved = this.#moving.promise
  readonly #role: Slot
  /** Session of the earlier page of this tab. */
  readonly #earlier: string | undefined
  /** Entry of the last checkpoint. */
  #checkpoint: number

  constructor(options: SessionStateOptions) {
    const { role, record, saved, seen, before, guard, onEntry, onGap, line } = options
    this.session = before?.session ?? randomName()
    this.isReadAgain = before !== undefined
    this.#openings = before ? before.#openings : 0
    this.record = record
    this.saved = saved
    this.seen = saved.values.cursor ?? seen
    this.#role = role
    this.#earlier = saved.values.gone
    const { initialOffer, secure } = record
    this.firstOffer = before?.firstOffer ?? saved.values.first
    const known = saved.checkpoint?.state
    const from = known?.shared.reader === role ? known : undefined
    this.log = new ContactLog({ reader: role, initialOffer, secure, from, guard, onEntry, onGap, line })
    this.#checkpoint = guard ? Number.POSITIVE_INFINITY : this.log.state.seq
  }

  get id(): string {
    return this.record.id
  }

  /** The last entry that this tab knows, an earlier page included; null where it knows none by its id. */
  get last(): KnownEntry | null {
    const { cursor = 0, last } = this.saved.values
    if (this.log.last && this.log.last.seq >= cursor) return this.log.last
    return last === undefined ? null : { seq: cursor, id: last }
  }

  /** What opens its channel where the log was read to. */
  opening(): Calls['contact.open']['args'] {
    const { id, session, log, last } = this
    this.#openings += 1
    return { contact: id, session, cursor: log.state.seq, opening: this.#openings, ...(last && { last }) }
  }

  /** Whether this session holds its party's slot. */
  get holdsSlot(): boolean {
    return this.holder === this.session
  }

  /** The session that holds this party's slot; null while it is free. */
  get holder(): string | null {
    return this.log.state.shared.session[this.#role]
  }

  /** Whether another page of this party is in the contact, as far as the log says. */
  get isElsewhere(): boolean {
    return this.log.state.channels[this.#role].some((each) => each !== this.session)
  }

  /** The session that holds this party's slot, where its page is gone; null else. */
  get goneHolder(): string | null {
    const { shared } = this.log.state
    return this.connected && isHolderGone(shared, this.#role, this.connected) ? this.holder : null
  }

  /**
   * The page goes, or is shown again. The next page of the tab knows that this one is gone, also where the
   * service has not noticed. A duplicated tab, which copies the storage of a page that stays, finds no such
   * mark.
   */
  page(isHere: boolean): void {
    const gone = isHere ? undefined : this.session
    if (this.saved.values.gone !== gone) this.saved.save({ gone })
  }

  /**
   * Notes who is connected, as the service says. The earlier page of this tab is not, although its connection
   * may still look alive.
   */
  setConnected(connected: ConnectedSessions): void {
    this.connected = {
      ...connected,
      [this.#role]: connected[this.#role].filter((each) => each !== this.#earlier),
    }
  }

  /**
   * The service has opened the contact for this page. From now on each event is emitted once, over all page
   * loads of the tab.
   */
  opened(head: number): void {
    this.seen ??= head
    if (this.saved.values.cursor === undefined) this.saved.save({ cursor: this.seen })
  }

  /**
   * Saves, when it is called after the events of an entry, that the next page of the tab goes on behind it.
   * `pending`: null where that is not known, and nothing but the cursor is saved.
   */
  cursorAfter({ entry, after }: ReadEntry, pending: PendingMemory | null): () => void {
    const isPlain = this.next === null && after.life !== 'cleared' && after.shared.media.Voice?.via !== 'pstn'
    return () => {
      if (this.seen !== null && entry.seq >= this.seen) this.saved.save({ cursor: entry.seq, last: entry.id })
      if (!isPlain || !pending || entry.seq - this.#checkpoint < CHECKPOINT_EVERY) return
      this.#checkpoint = entry.seq
      this.saved.saveCheckpoint({ state: after, pending })
    }
  }

  /** The log says that the contact goes on under another id. */
  move(id: string): void {
    this.next = id
    this.#moving.resolve()
  }

  /**
   * The record of the contact under its next id, as far as it is known before the service is asked. What runs
   * without a device of this page is the first offer there.
   */
  nextRecord(id: string, saved: SavedState): ContactData {
    const { agent: _gone, ...record } = this.record
    const { shared } = this.log.state
    const initialOffer = algebra.carriedOffer(shared)
    saved.save({ first: initialOffer })
    return {
      ...record,
      id,
      state: 'queued',
      transferredFrom: this.id,
      mediaState: shared.media,
      initialOffer,
      channels: { total: 0, vvcu: 0, user: 0 },
    }
  }
}
