/**
 * What to offer for a call, what an offer asks, and how to answer it. Pure; all media are relative to the own
 * side.
 */
import type {
  AnswerChoice,
  MediaCapabilities,
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  OfferedDirection,
  PartialMediaState,
} from './sdk.ts'

/** What a person can start. */
export type CallKind = 'voice' | 'video' | 'screen'

/** Media that a person sees or hears. */
export const CALL_MEDIA = ['Voice', 'Video', 'Screen'] as const
export type CallMedium = (typeof CALL_MEDIA)[number]

/** The engine of the pages' own calls. */
export const ENGINE = 'WebRTC'
const BY = { via: 'net', engine: ENGINE } as const

export const isOn = (details: MediaStateDetails | undefined): boolean =>
  details !== undefined && (details.tx || details.rx)

/** Media of the call that are on. */
export const mediaOn = (media: MediaState): CallMedium[] => CALL_MEDIA.filter((medium) => isOn(media[medium]))

/** Whether any call runs. */
export const inCall = (media: MediaState): boolean => CALL_MEDIA.some((medium) => isOn(media[medium]))

/** The offer that starts `kind` on top of `current`, which describes what is on. */
export function offerFor(kind: CallKind, current: MediaOffer): MediaOffer {
  const both: MediaOfferDetails = { tx: 'required', rx: 'required', ...BY }
  const mine = (medium: CallMedium, others: OfferedDirection): MediaOfferDetails => ({
    tx: 'required',
    rx: current[medium]?.rx === 'required' ? 'required' : others,
    ...BY,
  })
  if (kind === 'voice') return { ...current, Voice: both }
  if (kind === 'screen') return { ...current, Screen: mine('Screen', 'off') }
  return {
    ...current,
    Voice: isAsked(current.Voice) ? current.Voice : { ...both, rx: 'optional' },
    Video: mine('Video', 'optional'),
  }
}

/** Voice that runs goes on as it is, whoever speaks. */
const isAsked = (voice: MediaOfferDetails | undefined): voice is MediaOfferDetails =>
  voice !== undefined && (voice.tx !== 'off' || voice.rx !== 'off')

/** The change that ends the own transmission of `medium`, and the whole medium where nothing comes in. */
export function stopSending(media: MediaState, medium: CallMedium): PartialMediaState {
  const now = media[medium]
  return {
    [medium]: now?.rx
      ? {
          tx: false,
          rx: true,
          ...(now.via !== undefined && { via: now.via }),
          ...(now.engine !== undefined && { engine: now.engine }),
        }
      : { tx: false, rx: false },
  }
}

/** The change that ends the given media in both directions. */
export const hangUp = (media: MediaState, which: readonly CallMedium[]): PartialMediaState =>
  Object.fromEntries(
    which.filter((medium) => isOn(media[medium])).map((medium) => [medium, { tx: false, rx: false }]),
  )

/** What accepting an offer means for one direction of a medium. `may`: the answer decides. */
export type Effect = 'none' | 'keep' | 'start' | 'may' | 'stop'

export interface OfferRow {
  readonly medium: CallMedium
  /** What the own side would send. */
  readonly tx: Effect
  /** What it would receive. */
  readonly rx: Effect
}

type Carrier = Pick<MediaOfferDetails, 'via' | 'engine'>

/**
 * Whether a direction is on, carried as `wanted` says: what moves to another network or engine starts there.
 */
const runs = (
  now: MediaStateDetails | undefined,
  direction: 'tx' | 'rx',
  { via, engine }: Carrier,
): boolean =>
  now?.[direction] === true &&
  (via === undefined || via === now.via) &&
  (engine === undefined || engine === now.engine)

const effect = (
  direction: 'tx' | 'rx',
  offered: MediaOfferDetails | undefined,
  now: MediaStateDetails | undefined,
): Effect => {
  if (offered?.[direction] === 'required') return runs(now, direction, offered) ? 'keep' : 'start'
  if (offered?.[direction] === 'optional') return runs(now, direction, offered) ? 'keep' : 'may'
  return now?.[direction] ? 'stop' : 'none'
}

/** What an offer would change, one row for each medium of a call that it touches. */
export function rowsOf(offer: MediaOffer, media: MediaState): OfferRow[] {
  return CALL_MEDIA.map((medium) => ({
    medium,
    tx: effect('tx', offer[medium], media[medium]),
    rx: effect('rx', offer[medium], media[medium]),
  })).filter(({ tx, rx }) => [tx, rx].some((one) => one === 'start' || one === 'may' || one === 'stop'))
}

/** Whether an offer starts nothing: it needs nobody's consent. */
export const startsNothing = (offer: MediaOffer, media: MediaState): boolean =>
  Object.entries(offer).every(([medium, details]) =>
    [effect('tx', details, media[medium]), effect('rx', details, media[medium])].every(
      (one) => one !== 'start' && one !== 'may',
    ),
  )

/**
 * What to take of an offer: all that may be received, and what of the own side is required, chosen by `send`,
 * or on already.
 */
export function choiceOf(
  offer: MediaOffer,
  media: MediaState,
  send: Readonly<Record<string, boolean>> = {},
): AnswerChoice {
  const entries = Object.entries(offer).flatMap(([medium, details]): [string, true | 'receive'][] => {
    if (!details) return []
    const tx =
      details.tx === 'required' ||
      (details.tx === 'optional' && (send[medium] ?? runs(media[medium], 'tx', details)))
    return [[medium, tx ? true : 'receive']]
  })
  return Object.fromEntries(entries)
}

/** Whether everything that `wanted` has on is on in `media`. */
export const covers = (media: MediaState, wanted: PartialMediaState): boolean =>
  Object.entries(wanted).every(
    ([medium, details]) =>
      !details ||
      ((!details.tx || runs(media[medium], 'tx', details)) &&
        (!details.rx || runs(media[medium], 'rx', details))),
  )

/** Whether an answer to an own offer breaks one of its `required`. */
export const isRefusal = (offer: MediaOffer, answer: PartialMediaState): boolean =>
  Object.entries(offer).some(
    ([medium, details]) =>
      (details?.tx === 'required' && answer[medium]?.tx !== true) ||
      (details?.rx === 'required' && answer[medium]?.rx !== true),
  )

/** Whether both parties can carry a medium by the pages' engine. */
export function canCall(
  medium: CallMedium,
  local: MediaCapabilities | null,
  remote: MediaCapabilities | null,
): boolean {
  const can = (party: MediaCapabilities | null): boolean => party?.Media[medium]?.Engines?.[ENGINE] === true
  return can(local) && can(remote) && (medium !== 'Screen' || local?.WebRTC?.ScreenCapture !== false)
}

/** The stream of one direction, as the engine gives it in `data`. */
export function streamOf(details: MediaStateDetails | undefined, direction: 'tx' | 'rx'): MediaStream | null {
  const found = details?.[direction] ? details.data?.[`${direction}_stream`] : undefined
  return found instanceof MediaStream ? found : null
}
