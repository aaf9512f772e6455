import { ContactError, algebra } from '../../protocol/index.ts'
import type { MediaOffer, MediaState, OfferedDirection } from '../../protocol/index.ts'
import type { AnswerChoice } from '../api/media.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'

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
