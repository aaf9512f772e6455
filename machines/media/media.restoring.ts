/** What comes back of a call that a page load has cut: rules over media and offers. */
import { algebra } from '../../protocol/index.ts'
import type { ErrorCode, MediaOffer, MediaState, PartialMediaState } from '../../protocol/index.ts'

/**
 * The offer that brings back what ran, but for screens, of either side: no browser shares one without a
 * click.
 */
export const restoringOffer = ({ Screen: _needsClick, ...media }: MediaState): MediaOffer =>
  algebra.offerFromState(media)

/**
 * What to try after a restore of `whole` has failed. Where a device failed, here or there: without one medium
 * in that direction, each in its turn, the camera first and the microphone last; then without two and more.
 * Where the engine failed: without one medium more. Null where nothing is left, or trying would not help.
 */
export function lessAfter(offer: MediaOffer, code: ErrorCode, whole: MediaOffer): MediaOffer | null {
  const less =
    code === 'engine_failed'
      ? withoutOneMore(offer)
      : code === 'remote_failed'
        ? nextWithout(offer, whole, 'rx')
        : code.startsWith('media_')
          ? nextWithout(offer, whole, 'tx')
          : offer
  return less !== offer && algebra.asksForMore(less) ? less : null
}

type Direction = 'tx' | 'rx'

/** Media that are asked for in one of these directions, in the order in which they are left out. */
const asked = (offer: MediaOffer, ...directions: readonly Direction[]): readonly string[] =>
  Object.keys(offer)
    .filter(
      (medium) =>
        medium !== 'Chat' && directions.some((direction) => offer[medium]?.[direction] === 'required'),
    )
    .toSorted((a, b) => rank(a) - rank(b))

function withoutOneMore(offer: MediaOffer): MediaOffer {
  const [medium] = asked(offer, 'tx', 'rx')
  const details = medium === undefined ? undefined : offer[medium]
  return medium === undefined || !details
    ? offer
    : { ...offer, [medium]: { ...details, tx: 'off', rx: 'off' } }
}

/**
 * The offer with the next choice of what `whole` may come back without in a direction; the same offer after
 * the last choice.
 */
function nextWithout(offer: MediaOffer, whole: MediaOffer, direction: Direction): MediaOffer {
  const media = asked(whole, direction)
  const choices = [
    ...media.map((medium) => [medium]),
    ...media.slice(1).map((_, index) => media.slice(0, index + 2)),
  ]
  const next =
    choices[
      choices.findLastIndex((choice) => choice.every((medium) => offer[medium]?.[direction] === 'off')) + 1
    ]
  if (!next) return offer
  const changed = media.flatMap((medium) => {
    const details = offer[medium]
    return details
      ? [
          [
            medium,
            {
              ...details,
              ...Object.fromEntries([
                [direction, next.includes(medium) ? ('off' as const) : ('required' as const)],
              ]),
            },
          ],
        ]
      : []
  })
  return { ...offer, ...Object.fromEntries(changed) }
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
  const kept = Object.entries(others).map(([medium, now]) => [
    medium,
    {
      tx: now?.tx === true && wanted[medium]?.tx === true,
      rx: now?.rx === true && wanted[medium]?.rx === true,
    },
  ])
  return algebra.merge(media, Object.fromEntries(kept))
}
