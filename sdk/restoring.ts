/** What comes back of a call that a page load has cut: rules over media and offers. */
import { algebra } from '../protocol/index.ts'
import type { ErrorCode, MediaOffer, MediaState, PartialMediaState } from '../protocol/index.ts'

const { isOn, merge, mostOf, offerFromState } = algebra

/** Whether an offer asks for more than Chat. */
export const asksForMore = (offer: MediaOffer): boolean => Object.entries(mostOf(offer)).some(([medium, details]) => medium !== 'Chat' && isOn(details))

/** The offer that brings back what ran, but for screens, of either side: no browser shares one without a click. */
export const restoringOffer = ({ Screen: _needsClick, ...media }: MediaState): MediaOffer => offerFromState(media)

/** What to try after a restore has failed: without a camera first, without a microphone last. Null where nothing is left, or trying would not help. */
export function lessAfter(offer: MediaOffer, code: ErrorCode): MediaOffer | null {
  const directions = failingDirections(code)
  const failed = Object.keys(offer)
    .filter((medium) => medium !== 'Chat' && directions.some((direction) => offer[medium]?.[direction] === 'required'))
    .toSorted((a, b) => rank(a) - rank(b))[0]
  const details = failed === undefined ? undefined : offer[failed]
  if (failed === undefined || !details) return null
  const less = { ...offer, [failed]: { ...details, ...Object.fromEntries(directions.map((direction) => [direction, 'off' as const])) } }
  return asksForMore(less) ? less : null
}

/** Which directions an engine could not turn on, here or there. */
function failingDirections(code: ErrorCode): readonly ('tx' | 'rx')[] {
  if (code.startsWith('media_')) return ['tx']
  if (code === 'remote_failed') return ['rx']
  return code === 'engine_failed' ? ['tx', 'rx'] : []
}

const rank = (medium: string): number => (medium === 'Video' ? 0 : medium === 'Voice' ? 2 : 1)

/** Directions that were on before and are not now. */
export const missingOf = (before: MediaState, now: MediaState): PartialMediaState =>
  Object.fromEntries(
    Object.entries(before).flatMap(([medium, details]) => {
      const [tx, rx] = [details?.tx === true && !now[medium]?.tx, details?.rx === true && !now[medium]?.rx]
      return details && (tx || rx) ? [[medium, { ...details, tx, rx }]] : []
    }),
  )

/** Of what is on: what is wanted further on. */
export function stillWanted(media: MediaState, wanted: PartialMediaState): MediaState {
  const { Sharing: _stays, ...others } = media
  const kept = Object.entries(others).map(([medium, now]) => [medium, { tx: now?.tx === true && wanted[medium]?.tx === true, rx: now?.rx === true && wanted[medium]?.rx === true }])
  return merge(media, Object.fromEntries(kept))
}
