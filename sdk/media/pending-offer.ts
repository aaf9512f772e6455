import type { MediaActor, OfferOutcome, OwnOffer } from '../../machines/eager.ts'
import { algebra, otherSlot } from '../../protocol/index.ts'
import type {
  ContactError,
  ErrorCode,
  MediaOffer,
  MediaState,
  PartialMediaState,
  Slot,
} from '../../protocol/index.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { failure } from './offer-outcomes.ts'
import { asksForMore, lessAfter, missingOf, restoringOffer, stillWanted } from './restoring.ts'
import { randomName } from '../values/random-id.ts'

const { mediaOn, mostOf, sameMedia, satisfies, stripData, swapOffer } = algebra

/** How long an interrupted call may come back by itself, milliseconds; the other side's window is as long. */
const RESTORE_WITHIN_MS = 60_000

/** A call that the end of an own session has cut. */
export interface Cut {
  readonly media: MediaState
  /** Time of the entry that cut it, as the service wrote it. */
  readonly time: number
}

/** What the log says of the offers to be made, for a page that does not read it from the start. */
export interface WishesMemory {
  readonly cut: Cut | null
  readonly isFirstDue: boolean
}

/**
 * Media that an own offer, which was not decided, was to leave on, and the last entry that was read before
 * it.
 */
export interface Wanted {
  readonly media: PartialMediaState
  readonly seq: number
}

/** An offer that waits to be made, or is under way. */
interface Wish {
  readonly offer: MediaOffer
  /** The call that it brings back; null: it is the contact's first. */
  readonly restores: { readonly media: MediaState; readonly until: number } | null
  /** Why more of the call could not be brought back. */
  readonly code?: ErrorCode
}

/** Whom the offers that the SDK makes by itself concern. */
export interface WishesHost {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** A call is about to come back with these media. */
  readonly restoring: (media: MediaState) => void
  /** It is back but for `missing`; `code`: why it is not all there. */
  readonly restored: (end: {
    readonly media: MediaState
    readonly missing: PartialMediaState
    readonly code?: ErrorCode
  }) => void
  /** The contact's first offer came to nothing. */
  readonly failed: (error: ContactError) => void
}

/** What a tab keeps of them over a page load. */
interface WishesKept {
  readonly values: { readonly offered?: boolean; readonly wanted?: Wanted | undefined }
  readonly checkpoint: { readonly wishes: WishesMemory } | undefined
  save(more: { readonly offered?: boolean; readonly wanted?: Wanted | undefined }): void
}

export interface WishesOptions {
  readonly slot: Slot
  readonly session: string
  readonly kept: WishesKept
  /** The contact's first offer, relative to the agent. */
  readonly initialOffer: MediaOffer | undefined
  readonly host: WishesHost
}

/**
 * Offers that the SDK makes by itself as soon as the media state is idle: the contact's first one, and a call
 * that a page load has interrupted.
 */
export class Wishes {
  readonly #options: WishesOptions
  /** The contact's first offer is to be made. */
  #isFirstDue: boolean
  #restore: Wish | null = null
  /** What is under way. */
  #made: (Wish & { readonly id: string }) | null = null
  #cut: Cut | null
  /** Last entry read. */
  #seq = 0
  /** What this session has had on. */
  readonly #carried = new Set<string>()
  /** The own offer whose outcome is kept. */
  #own: string | undefined

  constructor(options: WishesOptions) {
    this.#options = options
    const { cut, isFirstDue } = options.kept.checkpoint?.wishes ?? { cut: null, isFirstDue: false }
    this.#cut = cut
    this.#isFirstDue = isFirstDue
  }

  /** What has come of the log so far. */
  get memory(): WishesMemory {
    return { cut: this.#cut, isFirstDue: this.#isFirstDue }
  }

  /**
   * Looks at an entry that was just read, before `media` hears of it: null for what is replayed before this
   * page has entered.
   */
  notice(read: ReadEntry, media: MediaActor | null): void {
    const { entry, fact, after } = read
    this.#seq = entry.seq
    const snapshot = media?.getSnapshot()
    this.#noticeCut(
      read,
      this.#wanted(snapshot?.context.own, read),
      snapshot?.matches({ init: 'displaced' }) === true || snapshot?.matches({ init: 'succeeding' }) === true,
    )
    this.#noticeFirst(read)
    if (media) this.#noticeReturn(read)
    if (!this.#cut) this.#restore = null
    if (fact.kind === 'present' && fact.session === this.#options.session && this.#cut)
      this.#wishBack(this.#cut, { time: entry.time, now: after.shared.media })
  }

  /**
   * The other party brings a call back that this session has not had: it is as its user left it on the page
   * before, whoever was faster to offer it.
   */
  #noticeReturn({ fact, after: { shared } }: ReadEntry): void {
    const { slot, session, host } = this.#options
    if (shared.session[slot] !== session) return
    if (fact.kind === 'committed') for (const medium of mediaOn(shared.media)) this.#carried.add(medium)
    const { phase } = shared
    if (fact.kind !== 'transiting' || fact.by === slot || phase.name !== 'transiting' || !phase.restore)
      return
    if (mediaOn(callOf(phase.target)).every((medium) => !this.#carried.has(medium)))
      host.restoring(phase.target)
  }

  /**
   * The contact's first offer is due from when the agent has come, also during a page load, until something
   * is agreed or it is refused.
   */
  #noticeFirst({ entry, fact, before }: ReadEntry): void {
    const { slot, kept, initialOffer } = this.#options
    if (slot !== 'visitor' || !initialOffer || !asksForMore(initialOffer)) return
    if (fact.kind === 'present' && fact.slot === 'agent' && before.life === 'assigned')
      this.#isFirstDue = !kept.values.offered
    const isOver =
      fact.kind === 'committed' ||
      (fact.kind === 'ended' && fact.by === slot) ||
      (fact.kind === 'absent' && fact.slots.includes('agent'))
    if (isOver || entry.type === 'transferred') this.#isFirstDue = false
  }

  #wishBack({ media, time }: Cut, own: { readonly time: number; readonly now: MediaState }): void {
    const offer = restoringOffer(media)
    const restores = { media, until: this.#options.host.now() + RESTORE_WITHIN_MS - (own.time - time) }
    this.#restore = { offer, restores }
    if (!asksForMore(offer)) this.#tellRestored(this.#restore, own.now)
  }

  /**
   * Remembers what the end of an own session has cut, but for what the user was about to turn off, until
   * something else is agreed, the other party is gone, or it is too late. What another tab had, that one's
   * user ends.
   */
  #noticeCut(
    { entry, fact, before, after }: ReadEntry,
    wanted: PartialMediaState | undefined,
    follows: boolean,
  ): void {
    const { slot } = this.#options
    const ownEnded =
      fact.kind === 'absent'
        ? !follows && fact.slots.every((each) => each === slot)
        : fact.kind === 'present' && fact.slot === slot && fact.previous !== fact.session
    const media = wanted ? stillWanted(before.shared.media, wanted) : before.shared.media
    if (ownEnded && !sameMedia(media, after.shared.media)) this.#cut = { media, time: entry.time }
    else if (
      fact.kind === 'committed' ||
      (fact.kind === 'absent' && !ownEnded) ||
      entry.time - (this.#cut?.time ?? 0) > RESTORE_WITHIN_MS
    )
      this.#cut = null
  }

  /**
   * What the user was about to have on: here, or on the page before this one, which went before the log had
   * decided.
   */
  #wanted(own: OwnOffer | null | undefined, { entry, fact }: ReadEntry): PartialMediaState | undefined {
    if (own) return wantedBy(own.entry)
    const { kept } = this.#options
    const { wanted } = kept.values
    if (wanted && fact.kind === 'committed' && entry.seq > wanted.seq) kept.save({ wanted: undefined })
    return wanted?.media
  }

  /** Keeps over a page load what an own offer is to leave on, until it is decided. */
  #keep(own: OwnOffer | null): void {
    if (own?.id === this.#own) return
    this.#own = own?.id
    this.#options.kept.save({ wanted: own ? { media: wantedBy(own.entry), seq: this.#seq } : undefined })
  }

  /** Makes the offer that waits, if there is one and it can be made now. */
  fulfil(media: MediaActor): void {
    const snapshot = media.getSnapshot()
    const { own, shared, slot } = snapshot.context
    if (!snapshot.matches({ init: 'closed' })) this.#keep(own)
    const wish = this.#next()
    if (!wish || this.#made || !snapshot.matches('idle') || shared.session[otherSlot(slot)] === null) return
    this.#restore = null
    if (wish.restores && this.#options.host.now() > wish.restores.until)
      return this.#tellRestored({ ...wish, code: wish.code ?? 'timeout' }, shared.media)
    if (wish.restores) this.#options.host.restoring(wish.restores.media)
    this.#made = { ...wish, id: randomName() }
    media.send({ type: 'media.offer', id: this.#made.id, offer: wish.offer, restore: wish.restores !== null })
  }

  #next(): Wish | null {
    const { initialOffer } = this.#options
    return (
      this.#restore ??
      (this.#isFirstDue && initialOffer ? { offer: swapOffer(initialOffer), restores: null } : null)
    )
  }

  /** How an own offer has ended, and the media since. */
  settled(id: string, outcome: OfferOutcome, media: MediaState): void {
    const made = this.#made
    if (made?.id !== id) return
    this.#made = null
    const code = outcome.ok
      ? outcome.answer && !satisfies(made.offer, outcome.answer)
        ? 'rejected'
        : null
      : outcome.code
    if (code === 'left') return
    if (made.restores) this.#settleRestore(made, code, media)
    else if (code !== 'glare') this.#settleFirst(code, outcome)
  }

  /**
   * Where the remote was faster the call comes back after its offer, unless that is agreed to; where a device
   * or an engine failed, without what it was for.
   */
  #settleRestore(made: Wish, code: ErrorCode | null, media: MediaState): void {
    const offer =
      code === null
        ? null
        : code === 'glare'
          ? this.#cut && made.offer
          : lessAfter(made.offer, code, restoringOffer(made.restores?.media ?? media))
    if (offer) this.#restore = { ...made, offer, ...(code && code !== 'glare' && { code }) }
    else if (code !== 'glare') this.#tellRestored(code === null ? made : { ...made, code }, media)
  }

  #settleFirst(code: ErrorCode | null, outcome: OfferOutcome): void {
    const { host, kept } = this.#options
    this.#isFirstDue = false
    kept.save({ offered: true })
    if (code) host.failed(failure('make the first offer', code, outcome.ok ? undefined : outcome.reason))
  }

  #tellRestored({ restores, code }: Wish, media: MediaState): void {
    this.#restore = null
    if (!restores) return
    this.#options.host.restored({ media, missing: missingOf(restores.media, media), ...(code && { code }) })
  }
}

const wantedBy = (entry: OwnOffer['entry']): PartialMediaState =>
  entry.type === 'offer' ? mostOf(entry.body.offer) : stripData(entry.body.target)

const callOf = ({ Sharing: _stays, Chat: _text, ...call }: MediaState): PartialMediaState => call
