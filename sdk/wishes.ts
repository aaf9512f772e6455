import type { MediaActor, OwnOffer } from '../machines/light.ts'
import { algebra, otherSlot } from '../protocol/index.ts'
import type { MediaOffer, MediaState, PartialMediaState, Slot } from '../protocol/index.ts'
import type { ReadEntry } from './contact-log.ts'
import type { Kept } from './kept.ts'
import { randomName } from './settle.ts'

const { isOn, merge, mostOf, offerFromState, sameMedia, stripData, swapOffer } = algebra

/** How long an interrupted call may come back by itself, milliseconds; the other side's window is as long. */
const RESTORE_WITHIN_MS = 60_000

interface Cut {
  readonly media: MediaState
  /** Time of the entry that cut it, as the service wrote it. */
  readonly time: number
}

interface Wish {
  readonly offer: MediaOffer
  readonly restore: boolean
}

export interface WishesOptions {
  readonly slot: Slot
  readonly session: string
  readonly kept: Pick<Kept, 'memory' | 'save'>
  /** The contact's first offer, relative to the agent. */
  readonly initialOffer: MediaOffer | undefined
}

/** Offers that the SDK makes by itself as soon as the media state is idle: the contact's first one, and a call that a page load has interrupted. */
export class Wishes {
  readonly #options: WishesOptions
  #wish: Wish | null = null
  #cut: Cut | null = null
  /** Last entry read. */
  #seq = 0
  /** The own offer whose outcome is kept. */
  #own: string | undefined

  constructor(options: WishesOptions) {
    this.#options = options
  }

  /** Looks at an entry that was just read, before `media` hears of it: null for what is replayed before this page has entered. */
  notice(read: ReadEntry, media: MediaActor | null): void {
    const { entry, fact } = read
    const { slot, session, initialOffer } = this.#options
    this.#seq = entry.seq
    const snapshot = media?.getSnapshot()
    this.#noticeCut(read, this.#wanted(snapshot?.context.own, read), snapshot?.matches({ init: 'following' }) === true)
    if (this.#wish?.restore && !this.#cut) this.#wish = null
    if (entry.type !== 'present' || fact.kind !== 'present') return
    if (entry.session === session && this.#cut) this.#wish = { offer: offerFromState(this.#cut.media), restore: true }
    const isFirst = slot === 'visitor' && entry.slot === 'agent' && read.before.life === 'assigned'
    if (isFirst && media && initialOffer && asksForMore(initialOffer)) this.#wish = { offer: swapOffer(initialOffer), restore: false }
  }

  /** Remembers what the end of an own session has cut, but for what the user was about to turn off, until something else is agreed, the other party is gone, or it is too late. What another tab had, that one's user ends. */
  #noticeCut({ entry, fact, before, after }: ReadEntry, wanted: PartialMediaState | undefined, follows: boolean): void {
    const { slot } = this.#options
    const ownEnded =
      fact.kind === 'absent' ? !follows && fact.slots.every((each) => each === slot) : fact.kind === 'present' && fact.slot === slot && fact.previous !== fact.session
    const media = wanted ? stillWanted(before.shared.media, wanted) : before.shared.media
    if (ownEnded && !sameMedia(media, after.shared.media)) this.#cut = { media, time: entry.time }
    else if (fact.kind === 'committed' || (fact.kind === 'absent' && !ownEnded) || entry.time - (this.#cut?.time ?? 0) > RESTORE_WITHIN_MS) this.#cut = null
  }

  /** What the user was about to have on: here, or on the page before this one, which went before the log had decided. */
  #wanted(own: OwnOffer | null | undefined, { entry, fact }: ReadEntry): PartialMediaState | undefined {
    if (own) return wantedBy(own.entry)
    const { kept } = this.#options
    const { wanted } = kept.memory
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
    const wish = this.#wish
    if (!wish || !snapshot.matches('idle') || shared.session[otherSlot(slot)] === null) return
    this.#wish = null
    media.send({ type: 'media.offer', id: randomName(), ...wish })
  }
}

const asksForMore = (offer: MediaOffer): boolean => Object.entries(mostOf(offer)).some(([medium, details]) => medium !== 'Chat' && isOn(details))

const wantedBy = (entry: OwnOffer['entry']): PartialMediaState => (entry.type === 'offer' ? mostOf(entry.body.offer) : stripData(entry.body.target))

/** Of what is on: what is wanted further on. */
function stillWanted(media: MediaState, wanted: PartialMediaState): MediaState {
  const { Sharing: _stays, ...others } = media
  const kept = Object.entries(others).map(([medium, now]) => [medium, { tx: now?.tx === true && wanted[medium]?.tx === true, rx: now?.rx === true && wanted[medium]?.rx === true }])
  return merge(media, Object.fromEntries(kept))
}
