import type { MediaEngine } from '../../engines/eager.ts'
import type {
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  PartialMediaState,
} from '../../protocol/index.ts'
import { WithoutEncryption } from '../api/encryption.ts'
import type { MediaOfferCallback } from '../api/callbacks.ts'
import type { AnswerChoice, TransitOptions } from '../api/media.ts'
import type { ContactCore } from './contact-core.ts'
import { copyOf } from '../values/copy.ts'
import type { MediaOperations } from '../media/media-controller.ts'
import { runOperation } from '../async/run-operation.ts'

/** The media and capabilities of the documented contact. */
export abstract class LiveMedia extends WithoutEncryption {
  readonly #core: ContactCore
  readonly #media: MediaOperations

  constructor(core: ContactCore) {
    super()
    this.#core = core
    this.#media = core.media
  }

  get mediaState(): MediaTransitionState {
    return this.#media.state
  }

  getMediaEngine(id: string): MediaEngine | undefined {
    return this.#core.engines.registry.get(id)
  }

  registerMediaEngine(engine: MediaEngine): Promise<MediaCapabilities> {
    return runOperation('register the engine', () => this.#media.register(engine))
  }

  getMedia(clone = false): Promise<MediaState> {
    return runOperation('read the media', () => this.#media.getMedia(clone))
  }

  getMediaOffer(): Promise<MediaOffer> {
    return runOperation('read the media', () => this.#media.getMediaOffer())
  }

  getMediaState(): MediaTransitionState {
    return this.#media.state
  }

  offerMedia(offer: MediaOffer, callback?: MediaOfferCallback): Promise<MediaState> {
    return runOperation('offer media', () => this.#media.offer(offer), callback)
  }

  withdrawOffer(): void {
    this.#media.withdraw()
  }

  answer(offer: MediaOffer, choice?: AnswerChoice): MediaState {
    return copyOf(this.#media.answers.answer(offer, choice))
  }

  acceptOffer(offer: MediaOffer, choice?: AnswerChoice): Promise<MediaState> {
    return runOperation('answer the offer', () => this.#media.answers.accept(offer, choice))
  }

  rejectOffer(offer: MediaOffer, reason?: unknown): Promise<void> {
    return runOperation('answer the offer', () => this.#media.answers.reject(offer, reason))
  }

  transitMedia(
    currentMedia: MediaState,
    newMedia: MediaState,
    options?: TransitOptions,
  ): Promise<MediaState> {
    return runOperation('change media', () => this.#media.transit(currentMedia, newMedia, options))
  }

  mergeAndTransitMedia(media: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    return runOperation('change media', () => this.#media.mergeAndTransit(media, options))
  }

  mergeMedia(newMedia: PartialMediaState): Promise<MediaState> {
    return runOperation('merge media', () => this.#media.merged(newMedia))
  }

  cloneMedia(media: MediaState, includeData?: boolean): MediaState {
    return this.#media.clone(media, includeData)
  }

  diffMedia(oldMedia: MediaState, newMedia: MediaState): MediaStateDiff {
    return this.#media.diff(oldMedia, newMedia)
  }

  getLocalCapabilities(): Promise<MediaCapabilities> {
    return Promise.resolve(structuredClone(this.#core.capabilities.local))
  }

  setLocalCapability(path: string, value: unknown): Promise<MediaCapabilities> {
    return runOperation('set the capability', () => this.#core.capabilities.setAt(path, value))
  }

  setLocalCapabilities(capabilities: MediaCapabilities): Promise<MediaCapabilities> {
    return runOperation('set the capabilities', () => this.#core.capabilities.setAll(capabilities))
  }

  getRemoteCapabilities(): Promise<MediaCapabilities> {
    return runOperation('read the capabilities of the remote', () => this.#core.capabilities.fetch())
  }

  updateRemoteCapabilities(): Promise<MediaCapabilities> {
    return runOperation('exchange capabilities', () => this.#core.capabilities.exchange())
  }
}
