/**
 * A call that a page load, of either side, has interrupted: it comes back by itself, or is over after a while.
 * Pure.
 */
import { asShown, noticesSince } from './media-notices.ts'
import { CALL_MEDIA, inCall, mediaOn } from './media-plan.ts'
import type { CallMedium } from './media-plan.ts'
import type { NoticeKey } from './messages/en.ts'
import type { MediaState } from './sdk.ts'

/** A call as a page shows it. */
export interface ShownCall {
  readonly on: readonly CallMedium[]
  /** When it began, milliseconds since the epoch. */
  readonly since: number
}

export interface CutCall extends ShownCall {
  /** Until when it may come back, milliseconds since the epoch. */
  readonly until: number
}

export type KeptCall = ShownCall | CutCall

/** A page that has loaded. */
export interface Loaded {
  readonly media: MediaState
  readonly isAwaited: boolean
}

/** A page has loaded, and asked for its devices, long before; what comes later is a call of its own. */
const COMES_BACK_MS = 15_000

/** What a conversation shows of its call. */
export interface CallShown {
  /** When the call began; null without one. */
  readonly callSince: number | null
  readonly cut: CutCall | null
}

type Before = CallShown & { readonly media: MediaState }

export interface MediaNews {
  readonly media: MediaState
  /** What is off may come back by itself. */
  readonly interrupted?: boolean
}

/** The call after the media have changed. One that comes back is the same call. */
export function callAfter(before: Before, { media, interrupted = false }: MediaNews, now: number): CallShown {
  const { callSince, cut } = before
  if (inCall(media)) return { callSince: callSince ?? cut?.since ?? now, cut: null }
  if (!interrupted || !inCall(before.media)) return { callSince: null, cut }
  const call = { on: mediaOn(before.media), since: callSince ?? now }
  return { callSince: null, cut: { ...call, until: now + COMES_BACK_MS } }
}

/** The media that the page shows as on: those of a call that was interrupted, too. */
export const shownMedia = ({ cut, media }: Before): MediaState => (cut ? asShown(cut.on, media) : media)

/** A call that does not come back: what to say of it. */
export const noticesOfCut = ({ cut, media }: Before): NoticeKey[] => (cut ? noticesSince(cut.on, media) : [])

/** The call to keep over a page load. */
export const callToKeep = ({ callSince, cut, media }: Before): KeptCall | null =>
  cut ?? (callSince === null ? null : { on: mediaOn(media), since: callSince })

export const isSameCall = (a: ShownCall | null, b: ShownCall | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/**
 * The call that an earlier page of the tab has kept, where it is on, or may come back; null where it is over.
 * `isAwaited`: the contact is about to bring it back.
 */
export function keptCall(kept: KeptCall, { media, isAwaited }: Loaded, now: number): KeptCall | null {
  if (inCall(media)) return { on: kept.on, since: kept.since }
  if ('until' in kept && kept.until > now) return kept
  return isAwaited ? { ...kept, until: now + COMES_BACK_MS } : null
}

/** What a page shows of it. */
export const shownCall = (kept: KeptCall | undefined): CallShown => ({
  callSince: kept && !('until' in kept) ? kept.since : null,
  cut: kept && 'until' in kept ? kept : null,
})

/** A call read from storage; null if it is none. */
export function readCall(value: unknown): KeptCall | null {
  if (typeof value !== 'object' || value === null || !('on' in value) || !('since' in value)) return null
  const { on, since } = value
  if (!Array.isArray(on) || typeof since !== 'number') return null
  const call = { on: CALL_MEDIA.filter((medium) => on.includes(medium)), since }
  return 'until' in value && typeof value.until === 'number' ? { ...call, until: value.until } : call
}
