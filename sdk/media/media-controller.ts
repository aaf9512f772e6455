import type { MediaEngine } from '../../engines/eager.ts'
import type { MediaActor, MediaEmitted, MediaEvent, OfferOutcome } from '../../machines/eager.ts'
import {
  ContactError,
  MEDIA_NAMES,
  algebra,
  cutText,
  isName,
  otherSlot,
  shapeFault,
  toContactError,
} from '../../protocol/index.ts'
import type {
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaStateDetails,
  MediaTransitionState,
  PartialMediaState,
  SharedState,
} from '../../protocol/index.ts'
import type { TransitOptions } from '../api/media.ts'
import type { Log } from '../api/client.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { Membership } from '../contact/membership.ts'
import type { Capabilities } from './capabilities.ts'
import type { ContactEngines } from './contact-engines.ts'
import { OfferAnswers } from './offer-answers.ts'
import { concluded, failure } from './offer-outcomes.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'
import { randomName } from '../values/random-id.ts'

const {
  answerFromState,
  choicesFor,
  clone,
  completeAnswer,
  completeOffer,
  diff,
  merge,
  normalize,
  offerFromState,
  onlyTurnsOff,
  sameMedia,
  stripData,
} = algebra

/** What the media operations need of their contact. */
export interface MediaHost {
  readonly log: Log
  readonly delivery: Delivery
  readonly engines: ContactEngines
  readonly capabilities: Capabilities
  readonly membership: Pick<Membership, 'isEntering' | 'isOver' | 'requireOpen' | 'requirePart'>
  /** The media machine; null until the contact is entered. */
  readonly machine: () => MediaActor | null
  /** What the log says now. */
  readonly shared: () => SharedState
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/** The contact's media operations, on the media machine and the engines. */
export class MediaOperations {
  readonly answers: OfferAnswers
  readonly #host: MediaHost
  /** Own offers and transitions under way. */
  readonly #own = new Map<string, (outcome: OfferOutcome) => void>()
  /**
   * The offer about which the application was asked last, until it has said something: by the machine, since
   * numbers are those of one log.
   */
  readonly #unanswered = new WeakMap<MediaActor, number>()

  /** The state that the application was told last. */
  #shown: MediaTransitionState = 'init'

  constructor(host: MediaHost) {
    this.#host = host
    this.answers = new OfferAnswers(host, this.#media)
  }

  /** The media machine may be in another state. */
  showState = (): void => {
    const { state } = this
    this.answers.look()
    if (state === this.#shown) return
    this.#shown = state
    this.#host.delivery.emit('mediastate', { state })
  }

  get state(): MediaTransitionState {
    return stateOf(this.#host.machine())
  }

  /** The current media; all off for a page that has left the contact without having entered it. */
  #media = (): MediaState => {
    const media = this.#host.machine()
    if (media) return media.getSnapshot().context.shared.media
    return this.#host.membership.isOver() ? { Sharing: { tx: false, rx: false } } : this.#host.shared().media
  }

  getMedia(cloned = false): MediaState {
    const media = this.#host.engines.registry.withData(this.#media())
    return cloned ? clone(media, true) : media
  }

  /**
   * Gives up the picture for the sound. Where something else is under way, or the remote is faster, that
   * decides.
   */
  dropVideo = (engine: string): void => {
    if (this.#media().Video?.engine !== engine || this.state !== 'idle') return
    this.mergeAndTransit({ Video: { tx: false, rx: false } }).catch(() => {})
  }

  getMediaOffer = (): MediaOffer => offerFromState(this.#media())

  offer(offer: MediaOffer): Promise<MediaState> {
    const media = this.#idle('offer media')
    if (!isRecord(offer))
      throw new ContactError('invalid_offer', 'unable to offer media; the offer must be an object')
    const complete = fromArguments(
      'offer media',
      () => completeOffer(offer, this.#choices('offer media', offer)),
      'invalid_offer',
    )
    const id = randomName()
    const outcome = this.#outcomeOf(id)
    media.send({ type: 'media.offer', id, offer: complete, restore: false })
    return outcome.then((settled) =>
      concluded('offer media', settled, (answer) => ({ ...answer, Sharing: this.#media().Sharing })),
    )
  }

  withdraw = (): void => this.tell({ type: 'media.withdraw' })

  /** Tells the media machine, while there is one. */
  tell(event: MediaEvent): void {
    const media = this.#host.machine()
    if (media?.getSnapshot().status === 'active') media.send(event)
  }

  /** Adds an engine and its media to the capabilities. @throws what the engine's `capabilities` throws. */
  async addEngine(engine: MediaEngine): Promise<void> {
    const media = await this.#host.engines.registry.add(engine)
    this.#host.capabilities.addEngine(engine.id, media)
  }

  transit(current: MediaState, target: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    const media = this.#idleToChange()
    const { complete, restore } = fromArguments('change media', () => ({
      complete: this.#target(current, target),
      restore: options?.restore === true,
    }))
    if (algebra.asksMoreOfOther(this.#media(), complete)) throw failure('change media', 'offer_required')
    const id = randomName()
    const outcome = this.#outcomeOf(id)
    media.send({ type: 'media.transit', id, target: complete, restore })
    return outcome.then((settled) => concluded('change media', settled, () => this.getMedia()))
  }

  mergeAndTransit(changes: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    this.#idleToChange()
    return this.transit(this.#media(), this.merged(changes), options)
  }

  merged(changes: PartialMediaState): MediaState {
    return fromArguments('merge media', () => {
      requireMedia('merge media', changes)
      return merge(this.#media(), changes)
    })
  }

  clone(media: MediaState, includeData = false): MediaState {
    return fromArguments('clone media', () => {
      requireMedia('clone media', media)
      return clone(media, includeData)
    })
  }

  diff(before: MediaState, after: MediaState): ReturnType<typeof diff> {
    return fromArguments('compare media', () => {
      requireMedia('compare media', before)
      requireMedia('compare media', after)
      return diff(before, after)
    })
  }

  async register(engine: MediaEngine): Promise<MediaCapabilities> {
    this.#host.membership.requireOpen('register the engine')
    const wrong = fromArguments('register the engine', () => wrongMember(engine))
    if (wrong)
      throw new ContactError(
        'invalid_argument',
        `unable to register the engine; it does not implement MediaEngine (${wrong})`,
      )
    await this.addEngine(engine).catch((thrown: unknown) => {
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

  /**
   * The ways in which a medium of an offer can be carried: those of both parties, and as it runs where it
   * gets no more; undefined for one that nobody here knows.
   */
  #choices(
    operation: string,
    offer: MediaOffer,
  ): (medium: string) => ReturnType<typeof choicesFor> | undefined {
    const { local, remote } = this.#host.capabilities
    if (!remote) throw failure(operation, 'peer_left')
    return (medium) => {
      const known = (MEDIA_NAMES as readonly string[]).includes(medium) || Object.hasOwn(local.Media, medium)
      if (!known) return undefined
      const choices = choicesFor(medium, { local, remote, viaOf: this.#host.engines.registry.viaOf })
      const wanted = offer[medium]
      const isAnnounced = choices.some(({ engine }) => engine === (wanted?.engine ?? engine))
      return isAnnounced ? choices : [...choices, ...asItRuns(this.#media()[medium], wanted)]
    }
  }

  /** The complete state that a direct transition asks for. */
  #target(current: MediaState, target: PartialMediaState): MediaState {
    requireMedia('change media', current)
    requireMedia('change media', target)
    if (!sameMedia(current, this.#media()))
      throw new ContactError('invalid_argument', 'unable to change media; currentMedia is not current')
    return normalize(stripData(this.#complete(target)))
  }

  /** Fills in `via` and `engine` of a direct transition as in an offer. */
  #complete(target: PartialMediaState): PartialMediaState {
    const { Sharing: _never, ...rest } = target
    const offer = offerFromState(rest)
    const complete = completeOffer(offer, this.#choices('change media', offer))
    return Object.fromEntries(
      Object.entries(complete).flatMap(([medium, details]) =>
        details ? [[medium, { ...details, tx: details.tx !== 'off', rx: details.rx !== 'off' }]] : [],
      ),
    )
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
          delivery.emitChange(emitted.from, emitted.to, (media) => engines.registry.withData(media))
        return engines.mediaAre(emitted.to)
      case 'offer.settled':
        this.#own.get(emitted.id)?.(emitted.outcome)
        return void this.#own.delete(emitted.id)
      case 'media.asked':
        return this.#asked(emitted)
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

  /** Asks the application, or answers for one that does not listen: only what turns off is accepted. */
  #asked({ ref, offer }: Extract<MediaEmitted, { type: 'media.asked' }>): void {
    const { delivery, machine, log } = this.#host
    const media = machine()
    if (!media || this.#unanswered.get(media) === ref) return
    this.#unanswered.set(media, ref)
    const say = (event: Extract<MediaEvent, { type: 'media.answer' | 'media.reject' }>): void => {
      if (this.#unanswered.get(media) === ref) this.#unanswered.delete(media)
      if (machine() === media) this.tell(event)
    }
    let isAnswered = false
    const answer = (given: PartialMediaState): void => {
      isAnswered ||= isOpen()
      say({ type: 'media.answer', ref, answer: given })
    }
    const reject = (reason: string): void => say({ type: 'media.reject', ref, reason })
    const isOpen = (): boolean =>
      machine() === media && stateOf(media) === 'offered' && phaseRef(media) === ref
    const unheard = (): void =>
      onlyTurnsOff(this.#media(), offer)
        ? answer(answerFromState(this.#media(), offer))
        : reject('nobody is there to answer')
    const callback = (error: unknown, given?: PartialMediaState): void => {
      if (!isOpen()) log.warn('an answer was ignored; its offer is over')
      if (error !== null && error !== undefined) return reject(reasonOf(error))
      answer(fromArguments('answer the offer', () => answerTo(offer, given)))
    }
    this.answers.asked({ offer, isOpen, isAnswered: () => isAnswered, callback })
    delivery.emit(
      'mediaoffer',
      { offer, callback },
      { wanted: isOpen, after: (heard) => (heard ? undefined : unheard()) },
    )
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

/** The public state: the top-level key of the machine's value. */
const stateOf = (media: MediaActor | null): MediaTransitionState => {
  if (!media) return 'init'
  const { value } = media.getSnapshot()
  return (typeof value === 'string' ? value : Object.keys(value)[0]) as MediaTransitionState
}

const isAlone = (media: MediaActor): boolean => {
  const { shared, slot } = media.getSnapshot().context
  return shared.session[otherSlot(slot)] === null
}

const phaseRef = (media: MediaActor | null): number | null => {
  const phase = media?.getSnapshot().context.shared.phase
  return phase && phase.name !== 'idle' ? phase.ref : null
}

const ENGINE_OPERATIONS = [
  'capabilities',
  'attach',
  'prepare',
  'transit',
  'undo',
  'receive',
  'data',
  'stop',
] as const satisfies readonly (keyof MediaEngine)[]

/** What is missing for a MediaEngine, in words. */
function wrongMember(engine: unknown): string | undefined {
  if (!isRecord(engine)) return 'it is no object'
  if (!isName(engine['id'])) return '`id` is no name'
  const missing = ENGINE_OPERATIONS.find((name) => typeof engine[name] !== 'function')
  return missing && `\`${missing}\` is missing`
}

function requireMedia(operation: string, media: unknown): asserts media is PartialMediaState {
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

/**
 * The answer as it is written. What the service would refuse never counts as one: the application would be
 * asked again.
 */
function answerTo(offer: MediaOffer, given: unknown): PartialMediaState {
  requireMedia('answer the offer', given)
  const answer = completeAnswer(offer, given)
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
