import type { MediaEngine } from '../../engines/eager.ts'
import type { MediaActor, MediaEmitted, MediaEvent, OfferOutcome } from '../../machines/media/index.ts'
import { ContactError, algebra, toContactError } from '../../protocol/index.ts'
import type {
  ContactData,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaTransitionState,
  PartialMediaState,
  SharedState,
} from '../../protocol/index.ts'
import type { TransitOptions } from '../api/media.ts'
import type { Log } from '../api/client.ts'
import type { Encryption } from '../crypto/interface.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { Membership } from '../contact/membership.ts'
import { CallControls } from './call-controls.ts'
import type { Capabilities } from './capabilities.ts'
import type { MediaEngines } from './media-engines.ts'
import { carriedOffer, carriedTarget } from './carried-ways.ts'
import type { Carrying } from './carried-ways.ts'
import { requireEngine } from './engine-argument.ts'
import { isAlone, stateOf } from './media-actor.ts'
import { OfferAnswers } from './offer-answers.ts'
import { OfferQuestions } from './offer-questions.ts'
import { concluded, failure } from './offer-outcomes.ts'
import { requireMedia } from './media-values.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'
import { randomName } from '../values/random-id.ts'

/** What the media operations need of their contact. */
export interface MediaHost {
  readonly log: Log
  /** The contact as the service told of it first: whether it is secure never changes. */
  readonly record: Pick<ContactData, 'secure'>
  readonly delivery: Delivery
  /** Of a secure contact. */
  readonly encryption?: Pick<Encryption, 'whileHeld'> | null
  readonly engines: MediaEngines
  readonly capabilities: Capabilities
  readonly membership: Pick<Membership, 'isEntering' | 'isOver' | 'requireOpen' | 'requirePart'>
  /** The media machine; null until the contact is entered. */
  readonly machine: () => MediaActor | null
  /** What the log says now. */
  readonly shared: () => SharedState
  /** Adds an engine and its media to the capabilities. @throws what the engine's `capabilities` throws */
  readonly addEngine: (engine: MediaEngine) => Promise<void>
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/** The contact's media operations, on the media machine and the engines. */
export class MediaOperations {
  readonly answers: OfferAnswers
  readonly controls: CallControls
  readonly #host: MediaHost
  readonly #questions: OfferQuestions
  /** Own offers and transitions under way. */
  readonly #own = new Map<string, (outcome: OfferOutcome) => void>()
  constructor(host: MediaHost) {
    this.#host = host
    const media = (): MediaState => this.media
    this.answers = new OfferAnswers(host, media)
    this.controls = new CallControls(host.engines.registry, host.engines.controls)
    this.#questions = new OfferQuestions({
      ...{ ...host, media },
      tell: (event) => this.tell(event),
      onAsked: (open) => this.answers.asked(open),
    })
  }

  get state(): MediaTransitionState {
    return stateOf(this.#host.machine())
  }

  /** The current media; all off for a page that has left the contact without having entered it. */
  get media(): MediaState {
    const media = this.#host.machine()
    if (media) return media.getSnapshot().context.shared.media
    return this.#host.membership.isOver() ? { Sharing: { tx: false, rx: false } } : this.#host.shared().media
  }

  /**
   * Gives up the picture for the sound. Where something else is under way, or the remote is faster, that
   * decides.
   */
  dropVideo = (engine: string): void => {
    if (this.media.Video?.engine !== engine || this.state !== 'idle') return
    this.mergeAndTransit({ Video: { tx: false, rx: false } }).catch(() => {})
  }

  offer(offer: MediaOffer): Promise<MediaState> {
    const media = this.#idle('offer media')
    if (!isRecord(offer))
      throw new ContactError('invalid_offer', 'unable to offer media; the offer must be an object')
    const complete = fromArguments('offer media', () => carriedOffer(offer, this.#carrying), 'invalid_offer')
    const id = randomName()
    const outcome = this.#outcomeOf(id)
    media.send({ type: 'media.offer', id, offer: complete, restore: false })
    return outcome.then((settled) =>
      concluded('offer media', settled, (answer) => ({ ...answer, Sharing: this.media.Sharing })),
    )
  }

  accept = (...answer: Parameters<OfferAnswers['accept']>): Promise<MediaState> =>
    this.answers.accept(...answer)

  reject = (...answer: Parameters<OfferAnswers['reject']>): void => this.answers.reject(...answer)

  withdraw = (): void => this.tell({ type: 'media.withdraw' })

  /** Tells the media machine, while there is one. */
  tell(event: MediaEvent): void {
    const media = this.#host.machine()
    if (media?.getSnapshot().status === 'active') media.send(event)
  }

  transit(current: MediaState, target: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    const media = this.#idleToChange()
    const { complete, restore } = fromArguments('change media', () => ({
      complete: carriedTarget(current, target, this.#carrying),
      restore: options?.restore === true,
    }))
    if (algebra.asksMoreOfOther(this.media, complete)) throw failure('change media', 'offer_required')
    const id = randomName()
    const outcome = this.#outcomeOf(id)
    media.send({ type: 'media.transit', id, target: complete, restore })
    return outcome.then((settled) =>
      concluded('change media', settled, () => this.#host.engines.registry.withData(this.media)),
    )
  }

  mergeAndTransit(changes: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    this.#idleToChange()
    return this.transit(this.media, this.merged(changes), options)
  }

  merged(changes: PartialMediaState): MediaState {
    return fromArguments('merge media', () => {
      requireMedia('merge media', changes)
      return algebra.merge(this.media, changes)
    })
  }

  async register(engine: MediaEngine): Promise<MediaCapabilities> {
    this.#host.membership.requireOpen('register the engine')
    requireEngine('register the engine', engine)
    await this.#host.addEngine(engine).catch((thrown: unknown) => {
      throw toContactError(thrown, 'engine_failed', 'unable to register the engine; the engine failed')
    })
    this.#host.membership.requireOpen('register the engine')
    this.#host.capabilities.announce()
    return structuredClone(this.#host.capabilities.local)
  }

  /**
   * A change while nobody is there is a word of the user, too: what an absence has cut comes back only after
   * a question then.
   */
  #idleToChange(): MediaActor {
    const media = this.#host.machine()
    if (media && isAlone(media)) this.tell({ type: 'window.closed' })
    return this.#idle('change media')
  }

  #idle(operation: string): MediaActor {
    const media = this.#host.machine()
    if (!media) this.#host.membership.requirePart(operation)
    else this.#host.membership.requireOpen(operation)
    const snapshot = media?.getSnapshot()
    if (snapshot && (snapshot.status !== 'active' || snapshot.matches({ init: 'closed' })))
      throw failure(operation, 'left')
    if (!media || this.state !== 'idle')
      throw new ContactError(
        'invalid_state',
        `unable to ${operation}; the media state is ${this.state}, not idle`,
      )
    if (isAlone(media)) throw failure(operation, 'peer_left')
    return media
  }

  get #carrying(): Carrying {
    const { capabilities, engines } = this.#host
    return { capabilities, viaOf: engines.registry.viaOf, media: this.media }
  }

  #outcomeOf(id: string): Promise<OfferOutcome> {
    return new Promise((resolve) => this.#own.set(id, resolve))
  }

  /** The media machine tells something. */
  told = (emitted: MediaEmitted): void => {
    const { membership, delivery, engines } = this.#host
    switch (emitted.type) {
      case 'media.changed':
        if (!membership.isEntering())
          delivery.emitChange(emitted, (media) => engines.registry.withData(media))
        this.controls.mediaAre(emitted.to)
        return engines.mediaAre(emitted.to)
      case 'offer.settled':
        this.#own.get(emitted.id)?.(emitted.outcome)
        return void this.#own.delete(emitted.id)
      case 'media.asked':
        return this.#questions.ask(emitted)
      case 'consent.missing':
        return delivery.emit(
          'error',
          new ContactError(
            'tampered',
            'unable to carry out the transition; nobody here has agreed to transmit',
          ),
        )
      case 'engine.lost':
        return delivery.emit('error', new ContactError('engine_failed', emitted.reason))
      // `PendingOffers` hears them.
      case 'call.restoring':
      case 'call.restored':
      case 'offer.decided':
    }
  }
}

/** What an application asks of the negotiation, which may be on its way. */
export type Asked = {
  readonly [K in 'accept' | 'mergeAndTransit' | 'merged' | 'offer' | 'register' | 'reject' | 'transit']: (
    ...args: Parameters<MediaOperations[K]>
  ) => Promise<Awaited<ReturnType<MediaOperations[K]>>>
}
