/** Media that are to stop, and what that means. Pure. */
import { CALL_MEDIA, hangUp, stopSending } from './media-plan.ts'
import type { CallMedium } from './media-plan.ts'
import type { MediaState, PartialMediaState } from './sdk.ts'

/** How far a medium is to stop: towards the other side, or altogether. */
export type Extent = 'tx' | 'both'

/** Media that the user has ended while the contact could not be changed yet. */
export interface Stopping {
  readonly media: Readonly<Partial<Record<CallMedium, Extent>>>
  /** The whole call: nobody starts anything meanwhile. */
  readonly isCall: boolean
  /**
   * Nothing of it is on any more since a page load; until then (milliseconds since the epoch) what the load
   * has cut may come back by itself, and is to end.
   */
  readonly keptUntil?: number
}

/** How long a call that a page load has cut may come back by itself, milliseconds. */
export const COMES_BACK_MS = 60_000

/** A call ends: nobody starts anything meanwhile. */
export const isEnding = (stopping: Stopping | null): boolean =>
  stopping !== null && stopping.isCall && stopping.keptUntil === undefined

/** The change of the contact that ends them. */
export const changeFor = (media: MediaState, wanted: Stopping['media']): PartialMediaState =>
  Object.fromEntries(
    CALL_MEDIA.flatMap((medium) => {
      if (wanted[medium] === 'both') return Object.entries(hangUp(media, [medium]))
      const sends = wanted[medium] === 'tx' && media[medium]?.tx === true
      return sends ? Object.entries(stopSending(media, medium)) : []
    }),
  )

/** The media without those that the user has ended. */
export const withoutStopping = (media: MediaState, stopping: Stopping['media']): MediaState => ({
  ...media,
  ...Object.fromEntries(
    Object.entries(stopping).map(([medium, extent]) => [
      medium,
      { ...media[medium], tx: false, rx: extent === 'tx' && media[medium]?.rx === true },
    ]),
  ),
})

/** Whether a value read from storage says what is to stop. */
export function isStopping(value: unknown): value is Stopping {
  if (typeof value !== 'object' || value === null || !('media' in value) || !('isCall' in value)) return false
  const { media, isCall } = value
  if ('keptUntil' in value && typeof value.keptUntil !== 'number') return false
  return (
    typeof isCall === 'boolean' &&
    typeof media === 'object' &&
    media !== null &&
    !Array.isArray(media) &&
    Object.entries(media).every(
      ([medium, extent]) =>
        CALL_MEDIA.some((known) => known === medium) && (extent === 'tx' || extent === 'both'),
    )
  )
}
