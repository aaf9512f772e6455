import {
  RESTORE_WITHIN_MS,
  agreedOf,
  cutAfter,
  isFirstDueAfter,
  missingOf,
} from '../../machines/media/index.ts'
import type { Cut, MediaActor, MediaEmitted, OwnOffer } from '../../machines/media/index.ts'
import { algebra } from '../../protocol/index.ts'
import type { ContactError, MediaOffer, MediaState, PartialMediaState, Slot } from '../../protocol/index.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { failure } from './offer-outcomes.ts'

/** What the log says of the offers to be made, for a page that does not read it from the start. */
export interface PendingMemory {
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

/** Whom the offers that the SDK makes by itself concern. */
export interface PendingHost {
  /** What the user has agreed to transmit, for all tabs; null where they cannot tell. */
  readonly agreed: () => readonly string[] | null
  readonly agree: (transmissions: readonly string[]) => void
  /** A call is about to come back with these media. */
  readonly restoring: (media: MediaState) => void
  /** It is back but for what is missing. */
  readonly restored: (end: Omit<Extract<MediaEmitted, { type: 'call.restored' }>, 'type'>) => void
  /** The contact's first offer came to nothing. */
  readonly failed: (error: ContactError) => void
}

interface PendingValues {
  readonly offered?: boolean
  readonly wanted?: Wanted | undefined
  readonly agreed?: readonly string[]
}

/** What a tab keeps of them over a page load. */
interface PendingKept {
  readonly values: PendingValues
  readonly checkpoint: { readonly pending: PendingMemory } | undefined
  save(more: PendingValues): void
}

export interface PendingOptions {
  readonly slot: Slot
  readonly session: string
  readonly kept: PendingKept
  /** The contact's first offer, relative to the agent. */
  readonly initialOffer: MediaOffer | undefined
  /** Number of the last entry that was read. */
  readonly seq: () => number
  readonly host: PendingHost
}

/**
 * Tells the media machine which offers the SDK is to make by itself: the contact's first one, and a call that a
 * page load has interrupted. The machine decides when, and what to try next.
 */
export class PendingOffers {
  readonly #options: PendingOptions
  #memory: PendingMemory
  /** What this session has had on. */
  readonly #carried = new Set<string>()
  /** The own offer whose outcome is kept. */
  #own: string | undefined
  /** What the user has agreed to transmit, as it is kept. */
  #agreed: readonly string[] | null = null
  /** The user wants the call here, whatever this browser knows of it. */
  #isAsked = false
  /** The media of the call that was cut. */
  #whole: MediaState | null = null

  constructor(options: PendingOptions) {
    this.#options = options
    this.#memory = options.kept.checkpoint?.pending ?? { cut: null, isFirstDue: false }
  }

  /** What has come of the log so far. */
  get memory(): PendingMemory {
    return this.#memory
  }

  /** The contact's first offer, where it is due. */
  get firstOffer(): MediaOffer | null {
    const { initialOffer } = this.#options
    return this.#memory.isFirstDue && initialOffer ? algebra.swapOffer(initialOffer) : null
  }

  /**
   * Looks at an entry that was just read, before `media` hears of it: null for what is replayed before this
   * page has entered.
   */
  notice(read: ReadEntry, media: MediaActor | null): void {
    const { slot, session, initialOffer, kept } = this.#options
    const { entry, fact } = read
    const before = this.#memory
    const snapshot = media?.getSnapshot()
    const cut = cutAfter(before.cut, read, {
      slot,
      wanted: this.#wanted(snapshot?.context.own, read),
      isDisplaced:
        snapshot?.matches({ init: 'displaced' }) === true ||
        snapshot?.matches({ init: 'succeeding' }) === true,
    })
    const isFirstDue =
      slot === 'visitor' && initialOffer !== undefined && algebra.asksForMore(initialOffer)
        ? isFirstDueAfter(before.isFirstDue, read, kept.values.offered === true)
        : before.isFirstDue
    this.#memory = { cut, isFirstDue }
    if (!media) return
    this.#noticeReturn(read)
    if (isFirstDue !== before.isFirstDue) media.send({ type: 'first.due', offer: this.firstOffer })
    if (before.cut && !cut) media.send({ type: 'call.ended' })
    if (cut && fact.kind === 'present' && fact.session === session) {
      this.#whole = cut.media
      media.send({
        type: 'call.interrupted',
        media: this.#isAsked ? cut.media : agreedOf(cut.media, this.#agreedBefore),
        within: RESTORE_WITHIN_MS - (entry.time - cut.time),
      })
    }
  }

  /** The user moves the call here: what it transmits, too. */
  takesOver(): void {
    this.#isAsked = true
  }

  /** What a page of this browser has last kept. */
  get #agreedBefore(): readonly string[] {
    const { host, kept } = this.#options
    return host.agreed() ?? kept.values.agreed ?? []
  }

  /**
   * The other party brings a call back that this session has not had: it is as its user left it on the page
   * before, whoever was faster to offer it.
   */
  #noticeReturn({ fact, after: { shared } }: ReadEntry): void {
    const { slot, session, host } = this.#options
    if (shared.session[slot] !== session) return
    if (fact.kind === 'committed')
      for (const medium of algebra.mediaOn(shared.media)) this.#carried.add(medium)
    const { phase } = shared
    if (fact.kind !== 'transiting' || fact.by === slot || phase.name !== 'transiting' || !phase.restore)
      return
    if (algebra.mediaOn(callOf(phase.target)).every((medium) => !this.#carried.has(medium)))
      host.restoring(phase.target)
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
  #keep(media: MediaActor): void {
    const snapshot = media.getSnapshot()
    const { own } = snapshot.context
    if (snapshot.matches({ init: 'closed' }) || own?.id === this.#own) return
    this.#own = own?.id
    this.#options.kept.save({
      wanted: own ? { media: wantedBy(own.entry), seq: this.#options.seq() } : undefined,
    })
  }

  /**
   * Keeps what the user has agreed to transmit: of a call that comes back, whatever the log says, nothing else is
   * transmitted. A page without the slot, or whose call has not come back yet, says nothing of it.
   */
  #keepAgreed(media: MediaActor): void {
    const snapshot = media.getSnapshot()
    const { consent, interruptedMedia } = snapshot.context
    if (snapshot.matches('init') || interruptedMedia || consent === this.#agreed) return
    const { host, kept } = this.#options
    const known = this.#agreed ?? this.#agreedBefore
    if (consent.join() !== known.join()) {
      host.agree(consent)
      kept.save({ agreed: consent })
    }
    this.#agreed = consent
  }

  /** Hears what the media machine tells of them. */
  listen(media: MediaActor): void {
    const { host, kept } = this.#options
    media.on('call.restoring', (call) => host.restoring(call.media))
    media.on('call.restored', ({ type: _type, ...end }) => {
      const missing = missingOf(this.#whole ?? end.media, end.media)
      host.restored({ ...end, missing: { ...end.missing, ...missing } })
    })
    media.on('offer.decided', ({ code, reason }) => {
      this.#memory = { ...this.#memory, isFirstDue: false }
      kept.save({ offered: true })
      if (code) host.failed(failure('make the first offer', code, reason))
    })
    media.subscribe(() => {
      this.#keep(media)
      this.#keepAgreed(media)
    })
  }
}

const wantedBy = (entry: OwnOffer['entry']): PartialMediaState =>
  entry.type === 'offer' ? algebra.mostOf(entry.body.offer) : algebra.stripData(entry.body.target)

const callOf = ({ Sharing: _stays, Chat: _text, ...call }: MediaState): PartialMediaState => call
