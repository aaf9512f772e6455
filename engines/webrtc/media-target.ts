import type { PartialMediaState } from '../../protocol/index.ts'
import { engineError } from './errors.ts'
import { WEBRTC_MEDIA, isWebRtcMedium } from './media-transceivers.ts'
import type { WebRtcMedium } from './media-transceivers.ts'

/** The media that the engine carries, or is to carry, by direction. */
export interface MediaTarget {
  readonly tx: ReadonlySet<WebRtcMedium>
  readonly rx: ReadonlySet<WebRtcMedium>
}

/** The target without media. */
export const NOTHING: MediaTarget = { tx: new Set(), rx: new Set() }

/** Whether no medium is on. */
export const isEmpty = ({ tx, rx }: MediaTarget): boolean => tx.size + rx.size === 0

const contains = (whole: ReadonlySet<WebRtcMedium>, part: ReadonlySet<WebRtcMedium>): boolean =>
  [...part].every((medium) => whole.has(medium))

/** Whether `after` has a medium on that `before` has not. */
export const turnsOn = (before: MediaTarget, after: MediaTarget): boolean =>
  !contains(before.tx, after.tx) || !contains(before.rx, after.rx)

/**
 * The target for a state.
 * @throws `engine_failed` where it has a medium on that WebRTC does not carry
 */
export function targetOf(media: PartialMediaState): MediaTarget {
  const stranger = Object.keys(media).find(
    (medium) => (media[medium]?.tx || media[medium]?.rx) && !isWebRtcMedium(medium),
  )
  if (stranger !== undefined) throw engineError(`WebRTC does not carry ${stranger}`)
  return {
    tx: new Set(WEBRTC_MEDIA.filter((medium) => media[medium]?.tx)),
    rx: new Set(WEBRTC_MEDIA.filter((medium) => media[medium]?.rx)),
  }
}
