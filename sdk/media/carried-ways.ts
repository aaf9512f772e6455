/** What an application wants of media, with the ways in which it can be carried filled in. */
import { ContactError, algebra, builtInVia, choicesFor, completeOffer } from '../../protocol/index.ts'
import type { MediaOffer, MediaState, MediaStateDetails, PartialMediaState } from '../../protocol/index.ts'
import type { Capabilities } from './capabilities.ts'
import type { EngineRegistry } from './engine-registry.ts'
import { requireMedia } from './media-values.ts'
import { failure } from './offer-outcomes.ts'

/** The media that Duolog knows by name. A registered engine may add its own. */
const NAMES: readonly string[] = ['Sharing', 'Chat', 'Voice', 'Video', 'Screen']

/** What both parties can do, and what runs. */
export interface Carrying {
  readonly capabilities: Pick<Capabilities, 'local' | 'remote'>
  readonly viaOf: EngineRegistry['viaOf']
  readonly media: MediaState
}

/** An offer in full. @throws {@link ContactError} `invalid_offer`, `peer_left` */
export const carriedOffer = (offer: MediaOffer, carrying: Carrying): MediaOffer =>
  completeOffer(offer, choicesIn('offer media', offer, carrying))

/**
 * The complete state that a direct transition from `current` asks for.
 * @throws {@link ContactError} `invalid_argument`, `invalid_offer`, `peer_left`
 */
export function carriedTarget(
  current: MediaState,
  target: PartialMediaState,
  carrying: Carrying,
): MediaState {
  requireMedia('change media', current)
  requireMedia('change media', target)
  if (!algebra.sameMedia(current, carrying.media))
    throw new ContactError('invalid_argument', 'unable to change media; currentMedia is not current')
  return algebra.normalize(algebra.stripData(carriedMedia(target, carrying)))
}

/** Fills in `via` and `engine` of a direct transition as in an offer. */
function carriedMedia(target: PartialMediaState, carrying: Carrying): PartialMediaState {
  const { Sharing: _never, ...rest } = target
  const offer = algebra.offerFromState(rest)
  const complete = completeOffer(offer, choicesIn('change media', offer, carrying))
  return Object.fromEntries(
    Object.entries(complete).flatMap(([medium, details]) =>
      details ? [[medium, { ...details, tx: details.tx !== 'off', rx: details.rx !== 'off' }]] : [],
    ),
  )
}

/**
 * The ways in which a medium of an offer can be carried: those of both parties, and as it runs where it gets
 * no more; undefined for one that nobody here knows.
 */
function choicesIn(
  operation: string,
  offer: MediaOffer,
  { capabilities, viaOf, media }: Carrying,
): (medium: string) => ReturnType<typeof choicesFor> | undefined {
  const { local, remote } = capabilities
  if (!remote) throw failure(operation, 'peer_left')
  return (medium) => {
    const known = NAMES.includes(medium) || Object.hasOwn(local.Media, medium)
    if (!known) return undefined
    const choices = choicesFor(medium, { local, remote, viaOf })
    const wanted = offer[medium]
    const isAnnounced = choices.some(({ engine }) => engine === (wanted?.engine ?? engine))
    return isAnnounced ? choices : [...choices, ...asItRuns(media[medium], wanted)]
  }
}

/**
 * How a medium is carried that is to go on as it is, or with less: also where its engine is announced no
 * more.
 */
function asItRuns(
  now: MediaStateDetails | undefined,
  wanted: MediaOffer[string],
): ReturnType<typeof choicesFor> {
  const asksMore = (['tx', 'rx'] as const).some(
    (direction) => wanted?.[direction] !== 'off' && !now?.[direction],
  )
  const { via, engine } = now ?? {}
  return asksMore || via === undefined || engine === undefined ? [] : [{ via, engine }]
}

/** The visitor's first offer as the agent reads it. @throws {@link ContactError} `invalid_offer` */
export function completeInitial(offer: MediaOffer, isSecure = false): MediaOffer {
  if (isSecure && Object.values(offer).some((details) => details?.via === 'pstn'))
    // §7
    throw new ContactError('invalid_offer', 'unable to create the contact; a secure one has no telephone')
  const built: Readonly<Record<string, string>> = {
    Chat: 'Native',
    Voice: offer.Voice?.via === 'pstn' ? 'Native' : 'WebRTC',
    Video: 'WebRTC',
    Screen: 'WebRTC',
  }
  return algebra.swapOffer(
    completeOffer(offer, (medium) => {
      const engine = built[medium]
      return engine === undefined ? undefined : [{ via: builtInVia(medium, engine) as string, engine }]
    }),
  )
}
