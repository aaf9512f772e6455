/**
 * Pure functions that operations on media need, and no page that only reads the log: they are loaded with the
 * negotiation. All arguments of one call are relative to the same reader.
 */
import { asksMoreOfOther, judgeAnswer, mostOf, transmitsMore } from './media-offers.ts'
import { mapMedia, onlyOn } from './media-state.ts'
import type { MediaOffer, MediaState, OfferedDirection, PartialMediaState } from './media.ts'

/** `base` with the members that `changes` names; what is off afterwards is left out. */
export function merge(base: MediaState, changes: PartialMediaState): MediaState {
  const changed = mapMedia(changes, (details, medium) => ({ ...base[medium], ...details }))
  return onlyOn({ ...base, ...changed }, base.Sharing)
}

/** Whether an answer satisfies an offer. */
export const satisfies = (offer: MediaOffer, answer: PartialMediaState): boolean =>
  judgeAnswer(offer, answer) === 'accepted'

/** Whether an offer only turns things off or leaves them as they are: it can be accepted without asking. */
export function onlyTurnsOff(media: MediaState, offer: MediaOffer): boolean {
  const most = mostOf(offer)
  return !transmitsMore(media, most) && !asksMoreOfOther(media, most)
}

/** The answer that takes as much of an offer as `media` has on already. */
export function answerFromState(media: MediaState, offer: MediaOffer): PartialMediaState {
  const keep = (offered: OfferedDirection, now: boolean | undefined): boolean =>
    offered === 'required' || (offered === 'optional' && now === true)
  return mapMedia(offer, (details, medium) => ({
    ...details,
    tx: keep(details.tx, media[medium]?.tx),
    rx: keep(details.rx, media[medium]?.rx),
  }))
}
