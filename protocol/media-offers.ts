/** Pure functions over offers and answers. All arguments of one call are relative to the same reader. */
import { NATIVE_BOTH, SHARING, isOn, mapMedia, nativeOnly, onlyOn, stripData, swap } from './media-state.ts'
import type {
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  OfferedDirection,
  PartialMediaState,
  Slot,
} from './media.ts'

/** The same offer seen from the other side. */
export const swapOffer = (offer: MediaOffer): MediaOffer =>
  mapMedia(offer, (details) => ({ ...details, tx: details.rx, rx: details.tx }))

/**
 * Media of a new contact for the agent, from the contact's first offer as the agent reads it (default: Chat
 * both ways).
 */
export function startingMedia(initialOffer: MediaOffer | undefined): MediaState {
  const chat =
    initialOffer === undefined
      ? NATIVE_BOTH
      : { ...NATIVE_BOTH, tx: isWanted(initialOffer.Chat?.tx), rx: isWanted(initialOffer.Chat?.rx) }
  return onlyOn({ Chat: chat }, NATIVE_BOTH)
}

/**
 * The first offer of a contact that continues under another id, relative to the agent: the Native media as
 * they are, all others off.
 */
export const carriedOffer = ({
  reader,
  media,
}: {
  readonly reader: Slot
  readonly media: MediaState
}): MediaOffer => offerFromState(nativeOnly(reader === 'agent' ? media : swap(media)))

const isWanted = (direction: OfferedDirection | undefined): boolean =>
  direction === 'required' || direction === 'optional'

const carrier = ({ via, engine }: { readonly via?: string; readonly engine?: string } = {}) => ({
  ...(via !== undefined && { via }),
  ...(engine !== undefined && { engine }),
})

/** An offer that describes `media`: on is `required`, off is `off`. */
export function offerFromState({ Sharing: _never, ...media }: PartialMediaState): MediaOffer {
  return mapMedia(media, (details) => ({
    tx: details.tx ? 'required' : 'off',
    rx: details.rx ? 'required' : 'off',
    ...carrier(details),
  }))
}

/**
 * `accepted`, `refused` (breaks a `required`) or `invalid` (turns on what was `off`, or names another `via`
 * or `engine`).
 */
export type Verdict = 'accepted' | 'refused' | 'invalid'

/** What an answer means for an offer. Sharing is ignored. */
export function judgeAnswer(offer: MediaOffer, answer: PartialMediaState): Verdict {
  let verdict: Verdict = 'accepted'
  for (const medium of negotiated(offer, answer)) {
    const one = judgeMedium(offer[medium], answer[medium])
    if (one === 'invalid') return 'invalid'
    if (one === 'refused') verdict = 'refused'
  }
  return verdict
}

function negotiated(offer: MediaOffer, answer: PartialMediaState): string[] {
  const media = new Set([...Object.keys(offer), ...Object.keys(answer)])
  media.delete(SHARING)
  return [...media]
}

function judgeMedium(offer: MediaOfferDetails | undefined, answer: MediaStateDetails | undefined): Verdict {
  const directions = [
    [offer?.tx ?? 'off', answer?.tx ?? false],
    [offer?.rx ?? 'off', answer?.rx ?? false],
  ] as const
  if (directions.some(([offered, given]) => offered === 'off' && given)) return 'invalid'
  if (
    isOn(answer) &&
    ((answer.via ?? offer?.via) !== offer?.via || (answer.engine ?? offer?.engine) !== offer?.engine)
  )
    return 'invalid'
  return directions.some(([offered, given]) => offered === 'required' && !given) ? 'refused' : 'accepted'
}

/** An answer in full: `via` and `engine` as offered, false for what is left out, Sharing ignored. */
export function completeAnswer(offer: MediaOffer, answer: PartialMediaState): PartialMediaState {
  const complete = (
    offered: MediaOfferDetails | undefined,
    given: MediaStateDetails | undefined,
  ): MediaStateDetails =>
    isOn(given)
      ? { tx: given.tx, rx: given.rx, ...carrier(offered), ...carrier(given) }
      : { tx: false, rx: false }
  return Object.fromEntries(
    negotiated(offer, answer).map((medium) => [medium, complete(offer[medium], answer[medium])]),
  )
}

/** The state to move to when `answer` accepts `offer`. Sharing stays; what is not offered is off. */
export const targetOfAnswer = (media: MediaState, offer: MediaOffer, answer: PartialMediaState): MediaState =>
  onlyOn(completeAnswer(offer, answer), media.Sharing)

/** The complete state that a direct transition leads to. Sharing stays; what is not named is off. */
export const targetOfDirect = (media: MediaState, target: PartialMediaState): MediaState =>
  onlyOn(stripData(target), media.Sharing)

/**
 * Whether `wanted` makes the other side transmit what it does not transmit in `media` in the same way
 * already.
 */
export const asksMoreOfOther = (media: MediaState, wanted: PartialMediaState): boolean =>
  transmitsMore(swap(media), swap(wanted))

/** Whether `wanted` transmits anything that `media` does not transmit over the same `via` and `engine`. */
export function transmitsMore(media: PartialMediaState, wanted: PartialMediaState): boolean {
  return Object.entries(wanted).some(([medium, details]) => {
    const now = media[medium]
    return (
      medium !== SHARING &&
      details?.tx === true &&
      !(now?.tx === true && now.via === details.via && now.engine === details.engine)
    )
  })
}

/** The most that accepting an offer can turn on. */
export const mostOf = (offer: MediaOffer): PartialMediaState =>
  mapMedia(offer, (details) => ({ ...details, tx: details.tx !== 'off', rx: details.rx !== 'off' }))

/** Whether an offer asks for more than Chat. */
export const asksForMore = (offer: MediaOffer): boolean =>
  Object.entries(mostOf(offer)).some(([medium, details]) => medium !== 'Chat' && isOn(details))
