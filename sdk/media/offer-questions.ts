import type { MediaActor, MediaEmitted, MediaEvent } from '../../machines/media/index.ts'
import { ContactError, algebra, cutText, isName, shapeFault } from '../../protocol/index.ts'
import type { ContactData, MediaOffer, MediaState, PartialMediaState } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import type { Encryption } from '../crypto/interface.ts'
import type { Delivery } from '../contact/event-queue.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'
import { phaseRef, stateOf } from './media-actor.ts'
import { requireMedia } from './media-values.ts'
import type { OpenOffer } from './offer-answers.ts'

/** What a question to the application needs of its contact. */
export interface QuestionsHost {
  readonly log: Log
  readonly record: Pick<ContactData, 'secure'>
  readonly delivery: Delivery
  /** Of a secure contact. */
  readonly encryption?: Pick<Encryption, 'whileHeld'> | null
  /** The media machine; null until the contact is entered. */
  readonly machine: () => MediaActor | null
  readonly media: () => MediaState
  /** Tells the media machine. */
  readonly tell: (event: MediaEvent) => void
  /** The application is asked about this one now. */
  readonly onAsked: (open: OpenOffer) => void
}

/** Asks the application about the offers of the remote, and answers for one that does not listen. */
export class OfferQuestions {
  readonly #host: QuestionsHost
  /**
   * The offer about which the application was asked last, until it has said something: by the machine, since
   * numbers are those of one log.
   */
  readonly #unanswered = new WeakMap<MediaActor, number>()

  constructor(host: QuestionsHost) {
    this.#host = host
  }

  /**
   * For an application that does not listen only what turns off is accepted. Under a changed key nothing is asked
   * before the user accepts that. A telephone in a secure contact is
   * rejected: what a gateway hears is not encrypted end to end (encryption.md section 7).
   */
  ask({ ref, offer }: Extract<MediaEmitted, { type: 'media.asked' }>): void {
    const { delivery, encryption, machine, media: current, log, tell, onAsked, record } = this.#host
    const media = machine()
    if (!media || this.#unanswered.get(media) === ref) return
    this.#unanswered.set(media, ref)
    const say = (event: Extract<MediaEvent, { type: 'media.answer' | 'media.reject' }>): void => {
      if (this.#unanswered.get(media) === ref) this.#unanswered.delete(media)
      if (machine() === media) tell(event)
    }
    let isAnswered = false
    const answer = (given: PartialMediaState): void => {
      isAnswered ||= isOpen()
      say({ type: 'media.answer', ref, answer: given })
    }
    const reject = (reason: string): void => say({ type: 'media.reject', ref, reason })
    if (record.secure && Object.values(offer).some((details) => details?.via === 'pstn'))
      // §7
      return reject('a secure contact has no telephone')
    const isOpen = (): boolean =>
      machine() === media && stateOf(media) === 'offered' && phaseRef(media) === ref
    const unheard = (): void =>
      algebra.onlyTurnsOff(current(), offer)
        ? answer(algebra.answerFromState(current(), offer))
        : reject('nobody is there to answer')
    const callback = (error: unknown, given?: PartialMediaState): void => {
      if (!isOpen()) log.warn('an answer was ignored; its offer is over')
      if (error !== null && error !== undefined) return reject(reasonOf(error))
      answer(fromArguments('answer the offer', () => answerTo(offer, given)))
    }
    const tellOffer = (): void => {
      onAsked({ offer, isOpen, isAnswered: () => isAnswered, callback })
      const after = (heard: boolean): void => (heard ? undefined : unheard())
      delivery.emit('mediaoffer', { offer, callback }, { wanted: isOpen, after })
    }
    if (!encryption?.whileHeld(tellOffer)) tellOffer()
  }
}

/**
 * The answer as it is written. What the service would refuse never counts as one: the application would be
 * asked again.
 */
function answerTo(offer: MediaOffer, given: unknown): PartialMediaState {
  requireMedia('answer the offer', given)
  const answer = algebra.completeAnswer(offer, given)
  const names = Object.entries(answer).flatMap(([medium, details]) =>
    [medium, details?.via, details?.engine].filter((name) => name !== undefined),
  )
  if (shapeFault(answer) === null && names.every(isName)) return answer
  throw new ContactError(
    'invalid_argument',
    'unable to answer the offer; a medium, its via or its engine is no name',
  )
}

/** In words: of an object, its message. @throws {@link ContactError} `invalid_argument` */
const reasonOf = (error: unknown): string =>
  fromArguments('answer the offer', () =>
    cutText(String(isRecord(error) ? (error['message'] ?? '') : error), 256),
  )
