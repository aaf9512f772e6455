import { partOf } from '../../engines/eager.ts'
import type { MediaEngine } from '../../engines/eager.ts'
import type { MediaActor } from '../../machines/media/index.ts'
import { ContactError, algebra, toContactError } from '../../protocol/index.ts'
import type { MediaAnswerCallback, MediaOffer, MediaState, MediaStateDetails } from '../../protocol/index.ts'
import type { AnswerChoice } from '../api/media.ts'
import type { Membership } from '../contact/membership.ts'
import type { MediaEngines } from './media-engines.ts'
import { atOnce } from '../async/at-once.ts'
import { until } from '../async/until.ts'
import { fromArguments } from '../values/arguments.ts'
import { answerOf } from './chosen-answer.ts'

/** An offer about which the application was asked. */
export interface OpenOffer {
  readonly offer: MediaOffer
  /** Whether it can be answered yet. */
  readonly isOpen: () => boolean
  /** Whether the application has given an answer: what it acquired belongs to the transition then. */
  readonly isAnswered: () => boolean
  /** As the event `mediaoffer` hands it over. */
  readonly callback: MediaAnswerCallback
}

/** What answers need of their contact. */
export interface AnswersHost {
  readonly engines: MediaEngines
  readonly membership: Pick<Membership, 'requireOpen' | 'requirePart'>
  /** The media machine; null until the contact is entered. */
  readonly machine: () => MediaActor | null
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/** Answers to the remote's offers, as an application chooses them. */
export class OfferAnswers {
  readonly #host: AnswersHost
  readonly #media: () => MediaState
  #open: OpenOffer | null = null
  /** The engines that acquire devices for each answer under way, or have acquired them for the one given. */
  readonly #acquiring = new Set<readonly MediaEngine[]>()
  /** What the engines give back now: by the machine, since its end stops them. */
  readonly #givingBack = new WeakMap<MediaActor, Promise<void>>()

  constructor(host: AnswersHost, media: () => MediaState) {
    this.#host = host
    this.#media = media
  }

  /** The application is asked about this one now. */
  asked(open: OpenOffer): void {
    this.#open = open
  }

  /**
   * The media machine is in another state. Where the offer is over without an answer, what the application
   * had engines acquire for one is given back.
   */
  look(): void {
    const open = this.#open
    if (!open || open.isOpen()) return
    this.#open = null
    this.#acquiring.clear()
    if (open.isAnswered()) return
    const wanted = algebra.mostOf(open.offer)
    void this.#giveBack(
      this.#host.engines.registry
        .all()
        .filter(({ id }) => Object.values(partOf(wanted, id)).some((details) => details?.tx)),
    )
  }

  /**
   * Asks for the devices inside the click, and answers when they are there. A user who never answers the
   * browser's question is waited for as long as the offer stands.
   */
  async accept(offer: MediaOffer, choice?: AnswerChoice): Promise<MediaState> {
    const { engines, membership } = this.#host
    const media = this.#host.machine()
    const now = this.#media()
    const { answer, open } = fromArguments(OPERATION, () => ({
      answer: answerOf(now, offer, choice),
      open: this.#standing(offer),
    }))
    const captured = Object.fromEntries(
      algebra
        .mediaOn(answer)
        .flatMap((medium) => (isCaptured(answer[medium], now[medium]) ? [[medium, answer[medium]]] : [])),
    )
    const asked = engines.registry.all().filter(({ id }) => algebra.mediaOn(partOf(captured, id)).length > 0)
    this.#acquiring.add(asked)
    const prepared = Promise.all(
      asked.map((engine) => atOnce(() => engine.prepare(partOf(captured, engine.id)))),
    )
    try {
      await (media ? Promise.race([prepared, until(media, () => !open.isOpen())]) : prepared)
      membership.requireOpen(OPERATION)
      if (!open.isOpen()) throw isOver()
    } catch (thrown) {
      this.#acquiring.delete(asked)
      if (open.isOpen()) void this.#giveBack(asked)
      throw toContactError(thrown, 'engine_failed', `unable to ${OPERATION}; the engine failed`)
    }
    open.callback(null, answer)
    return answer
  }

  reject(offer: MediaOffer, reason?: unknown): void {
    fromArguments(OPERATION, () => this.#standing(offer)).callback(reason ?? 'declined')
  }

  /** The offer that stands, where it is this one. */
  #standing(offer: MediaOffer): OpenOffer {
    this.#host.membership.requirePart(OPERATION)
    if (this.#open?.isOpen() !== true || !algebra.sameValue(this.#open.offer, offer)) throw isOver()
    return this.#open
  }

  /**
   * What was acquired for an answer that was not given. Whatever else the engines do comes first; engines that
   * acquire for another answer by then keep theirs.
   */
  async #giveBack(engines: readonly MediaEngine[]): Promise<void> {
    const { over } = this.#host
    const media = this.#host.machine()
    if (!media) return
    const isOver = (): boolean => over.aborted || media.getSnapshot().status !== 'active'
    const isQuiet = (): boolean =>
      isOver() || (['idle', 'offered'] as const).some((state) => media.getSnapshot().matches(state))
    // At once where that can be: what is acquired for a next offer stays.
    while (!isQuiet() || this.#givingBack.has(media))
      await (this.#givingBack.get(media) ?? until(media, isQuiet))
    if (isOver()) return
    const kept = [...this.#acquiring].flat()
    const done = this.#host.engines.giveBack(
      engines.filter((engine) => !kept.includes(engine)),
      this.#media(),
    )
    this.#givingBack.set(media, done)
    await done
    this.#givingBack.delete(media)
  }
}

const OPERATION = 'answer the offer'

const isOver = (): ContactError =>
  new ContactError('invalid_state', `unable to ${OPERATION}; it is over, or another one stands`)

/** Whether an answer transmits what its engine does not transmit yet. */
const isCaptured = (answer: MediaStateDetails | undefined, now: MediaStateDetails | undefined): boolean =>
  answer?.tx === true && (now?.tx !== true || now.engine !== answer.engine)
