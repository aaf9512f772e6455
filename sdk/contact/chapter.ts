import type { MediaActor } from '../../machines/eager.ts'
import { algebra, deferred } from '../../protocol/index.ts'
import type { ConnectedSessions, ContactData, Slot } from '../../protocol/index.ts'
import { ContactLog } from '../log/log-reader.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { Kept } from './saved-state.ts'
import { randomName } from '../values/random-id.ts'
import { until } from '../async/until.ts'
import { Wishes } from '../media/pending-offer.ts'
import type { WishesHost } from '../media/pending-offer.ts'

export interface ChapterOptions {
  readonly role: Slot
  readonly record: ContactData
  readonly kept: Kept
  /**
   * Last entry whose events the application has seen: those up to it are folded silently. Null: all that is
   * there when the contact is entered.
   */
  readonly seen: number | null
  /** The same log is read anew, by the same session. */
  readonly before?: Chapter | undefined
  readonly onEntry: (read: ReadEntry) => void
  readonly onGap: () => void
  /** Whom the offers of the SDK's own accord concern. */
  readonly wishes: WishesHost
}

/** Entries between two checkpoints. */
const CHECKPOINT_EVERY = 64

/** A contact under one id, with this page's session in it. A transfer begins the next one. */
export class Chapter {
  readonly session: string
  /** Its log was read before, and has changed since. */
  readonly isAnew: boolean
  readonly kept: Kept
  readonly log: ContactLog
  readonly wishes: Wishes
  record: ContactData
  seen: number | null
  /**
   * Sessions that are connected, as far as the service and this tab know on this connection; null until the
   * service has said so.
   */
  connected: ConnectedSessions | null = null
  /** Null until the contact is entered: the machine starts from what the log says then. */
  media: MediaActor | null = null
  /** Number of entries that machines which are given up have written: no id is used twice. */
  written: number
  /** Resolves when that has announced this session. */
  announcing: Promise<void> | null = null
  /** Under which id the contact goes on, once it does. */
  next: string | null = null
  readonly #moving = deferred()
  /** Resolves when it does. */
  readonly moved = this.#moving.promise
  /** Another page of the party held the slot before the transfer, and goes first. */
  isSecond = false
  /** That page was connected then. */
  isFirstThere = false

  constructor({ role, record, kept, seen, before, onEntry, onGap, wishes }: ChapterOptions) {
    this.session = before?.session ?? randomName()
    this.isAnew = before !== undefined
    this.written = before?.media?.getSnapshot().context.written ?? before?.written ?? 0
    this.record = record
    this.kept = kept
    this.seen = kept.memory.cursor ?? seen
    this.#role = role
    this.#earlier = kept.memory.gone
    this.wishes = new Wishes({
      slot: role,
      session: this.session,
      kept,
      initialOffer: record.initialOffer,
      host: wishes,
    })
    const from = kept.checkpoint?.state
    this.log = new ContactLog({
      reader: role,
      initialOffer: record.initialOffer,
      from: from?.shared.reader === role ? from : undefined,
      onEntry,
      onGap,
    })
    this.#kept = this.log.state.seq
  }

  readonly #role: Slot
  /** Session of the earlier page of this tab. */
  readonly #earlier: string | undefined
  /** Entry of the last checkpoint. */
  #kept: number

  /**
   * The page goes, or is here again. The next one of the tab knows that it is gone, also where the service
   * has not heard; who copies what the tab keeps while it is here, as a duplicated tab does, takes nothing
   * from it.
   */
  page(isHere: boolean): void {
    const gone = isHere ? undefined : this.session
    if (this.kept.memory.gone !== gone) this.kept.save({ gone })
  }

  /**
   * Who is connected, as the service says. The earlier page of this tab is not, although its connection may
   * still look alive.
   */
  told(connected: ConnectedSessions): void {
    this.connected = {
      ...connected,
      [this.#role]: connected[this.#role].filter((each) => each !== this.#earlier),
    }
  }

  /**
   * The service has opened it for this page: from now on each event is told once, over all page loads of the
   * tab.
   */
  enteredAt(head: number): void {
    this.seen ??= head
    if (this.kept.memory.cursor === undefined) this.kept.save({ cursor: this.seen })
  }

  /** What to do once the events of an entry have been told: the next page of the tab goes on behind it. */
  keeping({ entry, after }: ReadEntry): () => void {
    const wishes = this.wishes.memory
    const isPlain = this.next === null && after.life !== 'cleared' && after.shared.media.Voice?.via !== 'pstn'
    return () => {
      if (this.seen !== null && entry.seq > this.seen) this.kept.save({ cursor: entry.seq })
      if (!isPlain || entry.seq - this.#kept < CHECKPOINT_EVERY) return
      this.#kept = entry.seq
      this.kept.saveCheckpoint({ state: after, wishes })
    }
  }

  get id(): string {
    return this.record.id
  }

  /** The next one's record, as far as it is known before the service has been asked. */
  successor(id: string): ContactData {
    const { agent: _gone, ...record } = this.record
    const { shared } = this.log.state
    return {
      ...record,
      id,
      state: 'queued',
      transferredFrom: this.id,
      mediaState: shared.media,
      initialOffer: algebra.carriedOffer(shared),
      channels: { total: 0, vvcu: 0, user: 0 },
    }
  }

  /** Whether this page's session holds its party's slot. */
  holds(role: Slot): boolean {
    return this.log.state.shared.session[role] === this.session
  }

  /** The log tells that the contact goes on under another id. */
  goOn(id: string): void {
    this.next = id
    this.#moving.resolve()
  }

  /** The service does not take the first `present`: this page has not entered, and may try again. */
  giveMediaUp(): void {
    this.written = this.media?.getSnapshot().context.written ?? 0
    this.media?.stop()
    this.media = this.announcing = null
  }

  /**
   * An own offer that this log has not heard of never counts; what one has begun is undone, and the media
   * machine gone. Resolves when the engines carry nothing of it any more.
   */
  async putMediaAway(): Promise<void> {
    const { media } = this
    if (!media) return
    const { own, shared } = media.getSnapshot().context
    if (own?.ref === null) media.send({ type: 'log.voided', id: own.id, reason: 'peer_left', shared })
    await until(media, () => media.getSnapshot().matches('idle') || media.getSnapshot().matches('init'))
    media.stop()
  }
}
