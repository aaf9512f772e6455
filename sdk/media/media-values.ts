/** What an application asks about media states and offers without changing anything. */
import { ContactError, algebra } from '../../protocol/index.ts'
import type {
  MediaOffer,
  MediaState,
  MediaStateDiff,
  OfferedDirection,
  PartialMediaState,
} from '../../protocol/index.ts'
import type { AnswerChoice } from '../api/media.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'

/** @throws {@link ContactError} `invalid_argument` — no media state */
export function requireMedia(operation: string, media: unknown): asserts media is PartialMediaState {
  const bad = (reason: string): never => {
    throw new ContactError('invalid_argument', `unable to ${operation}; ${reason}`)
  }
  if (!isRecord(media)) return bad('media must be an object keyed by medium')
  for (const [medium, details] of Object.entries(media)) {
    if (details === undefined) continue
    if (!isRecord(details) || typeof details.tx !== 'boolean' || typeof details.rx !== 'boolean')
      bad(`tx and rx of ${medium.slice(0, 32)} must be booleans`)
  }
}

/** A deep clone, as `cloneMedia` of the contact. @throws {@link ContactError} `invalid_argument` */
export function cloneOf(media: MediaState, includeData = false): MediaState {
  return fromArguments('clone media', () => {
    requireMedia('clone media', media)
    return algebra.clone(media, includeData)
  })
}

/** What changes from one state to another. @throws {@link ContactError} `invalid_argument` */
export function diffOf(before: MediaState, after: MediaState): MediaStateDiff {
  return fromArguments('compare media', () => {
    requireMedia('compare media', before)
    requireMedia('compare media', after)
    return algebra.diff(before, after)
  })
}

const refuse = (reason: string): never => {
  throw new ContactError('invalid_argument', `unable to answer the offer; ${reason}`)
}

/**
 * The answer in full: never more than is offered, and of what `choice` does not name no more than there is.
 * @throws {@link ContactError} `invalid_argument`
 */
export const answerOf = (media: MediaState, offer: MediaOffer, choice?: AnswerChoice): MediaState =>
  fromArguments('answer the offer', () => chosen(media, offer, choice))

function chosen(media: MediaState, offer: MediaOffer, choice: AnswerChoice | undefined): MediaState {
  if (!isRecord(offer) || (choice !== undefined && !isRecord(choice)))
    refuse('the offer and the choice must be objects keyed by medium')
  const given = Object.entries(offer).flatMap(([medium, offered]) => {
    if (!offered) return []
    const word = choice === undefined ? true : Object.hasOwn(choice, medium) ? choice[medium] : undefined
    if (![true, false, 'send', 'receive', undefined].includes(word))
      refuse(`the choice of ${medium.slice(0, 32)} must be true, false, "send" or "receive"`)
    const now = media[medium]?.engine === offered.engine ? media[medium] : undefined
    const takes = (direction: 'tx' | 'rx', alone: 'send' | 'receive'): boolean =>
      isOffered(offered[direction]) &&
      (word === undefined ? now?.[direction] === true : word === true || word === alone)
    return [[medium, { tx: takes('tx', 'send'), rx: takes('rx', 'receive') }] as const]
  })
  return { ...algebra.completeAnswer(offer, Object.fromEntries(given)), Sharing: media.Sharing }
}

function isOffered(direction: OfferedDirection): boolean {
  if (!['required', 'optional', 'off'].includes(direction)) refuse('it is no offer')
  return direction !== 'off'
}
