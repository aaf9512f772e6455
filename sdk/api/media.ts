import type {
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  PartialMediaState,
} from '../../protocol/index.ts'
import type { MediaEngine } from '../../engines/eager.ts'
import type { MediaOfferCallback } from './callbacks.ts'

/** How a transition came about. */
export interface TransitOptions {
  /** The remote asked for it. */
  readonly wasOffered?: boolean
  /**
   * It brings back an earlier state: within 60 s after an interruption the remote follows without a question.
   */
  readonly restore?: boolean
}

/**
 * What an application takes of an offer, by medium: `true` both directions, `receive` or `send` one of them,
 * `false` neither, as far as they are offered.
 * A medium that is not named stays as it is: nothing of it is turned on.
 */
export type AnswerChoice = Readonly<Record<string, boolean | 'receive' | 'send' | undefined>>

/** Media: what runs, and how it changes. */
export interface MediaNegotiation {
  /**
   * Registered engine of that id, or `undefined`.
   *
   * @example
   * ```ts
   * const engine = contact.getMediaEngine('WebRTC')
   * console.log(engine?.id)
   * ```
   */
  getMediaEngine(id: string): MediaEngine | undefined

  /**
   * Registers an engine. Its media appear in the capabilities and can be negotiated.
   *
   * @returns the updated local capabilities.
   * @throws {@link ContactError} `invalid_argument` — no engine, or its id is taken or no name (1 to 128
   *   letters, digits or ._:-); `engine_failed` — it cannot tell its
   * capabilities, or names a medium that cannot be told; `offline` — the code for it could not be loaded;
   * `left`.
   * @example
   * ```ts
   * const capabilities = await contact.registerMediaEngine(engine)
   * console.log(capabilities.Media.Voice?.Engines)
   * ```
   */
  registerMediaEngine(engine: MediaEngine): Promise<MediaCapabilities>

  /**
   * Current media state.
   *
   * @param clone - replaces what cannot be cloned (MediaStream) by `true`.
   * @example
   * ```ts
   * const { Voice } = await contact.getMedia(true)
   * if (Voice?.rx) console.log('the remote can be heard')
   * ```
   */
  getMedia(clone?: boolean): Promise<MediaState>

  /**
   * An offer that describes the current state: what is on is `required`, what is off is `off`.
   *
   * @example
   * ```ts
   * const offer = await contact.getMediaOffer()
   * await contact.offerMedia({ ...offer, Screen: { tx: 'off', rx: 'required' } })
   * ```
   */
  getMediaOffer(): Promise<MediaOffer>

  /**
   * State of the media negotiation, as `mediaState`.
   *
   * @example
   * ```ts
   * button.disabled = contact.getMediaState() !== 'idle'
   * ```
   */
  getMediaState(): MediaTransitionState

  /**
   * Offers media to the remote and moves to the answered state if the answer accepts. A medium that the offer
   * leaves out is turned off:
   * start from `getMediaOffer`. Only while `mediaState` is `idle`.
   *
   * @returns the answer. Where it breaks a `required`, the offer was refused and nothing has changed.
   * @throws {@link ContactError} `invalid_state` — not idle; `invalid_offer`; `glare` — the remote was
   *   first; `rejected`; `withdrawn`; `timeout`;
   * `invalid_answer`; `peer_left`; `remote_failed`; `media_denied`, `media_dismissed`, `media_not_found`,
   * `media_in_use`, `media_insecure_context`, `media_failed`, `engine_failed` — here; `not_joined` — this
   * page has not entered the contact; `offline` — the code for it could not be loaded; `left`.
   * @example
   * ```ts
   * const offer = await contact.getMediaOffer()
   * const answer = await contact.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'required' } })
   * ```
   */
  offerMedia(offer: MediaOffer, callback?: MediaOfferCallback): Promise<MediaState>

  /**
   * Takes back an own offer that is not answered yet; its Promise rejects with `withdrawn`, unless the answer
   * was faster.
   *
   * @example
   * ```ts
   * cancel.addEventListener('click', () => contact.withdrawOffer())
   * ```
   */
  withdrawOffer(): void

  /**
   * The answer to an offer that takes what `choice` says, for the callback of `mediaoffer`. It never turns on
   * what is not offered. An offer that has `required` where the choice says no is refused by it as a whole.
   *
   * @param choice - without it, all that is offered.
   * @throws {@link ContactError} `invalid_argument` — no offer, or another word than these.
   * @example
   * ```ts
   * contact.on('mediaoffer', ({ offer, callback }) =>
   *   callback(null, contact.answer(offer, { Voice: true, Video: 'receive' })),
   * )
   * ```
   */
  answer(offer: MediaOffer, choice?: AnswerChoice): MediaState

  /**
   * Answers the offer of the remote that stands, with what {@link MediaNegotiation.answer} makes of `choice`.
   * Called inside a click, so that the browser asks for the devices; where one is refused, the offer goes on
   * standing, and less of it can be accepted.
   *
   * @param offer - as `mediaoffer` has handed it over: one with other media that has come meanwhile is not
   *   accepted in its place.
   * @returns the answer, once it is given; `mediachange` tells when its media run.
   * @throws {@link ContactError} `invalid_argument` — as `answer`; `invalid_state` — the offer is over, or
   *   another one stands; `media_denied`, `media_dismissed`,
   * `media_not_found`, `media_in_use`, `media_insecure_context`, `media_failed`, `engine_failed` — here;
   * `not_joined` — this page has not entered the contact; `offline` — the code for it could not be loaded;
   * `left`.
   * @example
   * ```ts
   * contact.on('mediaoffer', ({ offer }) => {
   *   button.onclick = () => contact.acceptOffer(offer, { Voice: true, Video: 'receive' })
   * })
   * ```
   */
  acceptOffer(offer: MediaOffer, choice?: AnswerChoice): Promise<MediaState>

  /**
   * Rejects the offer of the remote that stands: `offerMedia` rejects there with `rejected`, and nothing
   * changes.
   *
   * @param offer - as for `acceptOffer`.
   * @param reason - told to the offerer: a text, or an error, whose message is told.
   * @throws {@link ContactError} `invalid_state` — the offer is over, or another one stands;
   *   `invalid_argument`, `not_joined`; `offline` — the code for it could not be loaded; `left`.
   * @example
   * ```ts
   * contact.on('mediaoffer', ({ offer }) => {
   *   if (document.hidden) void contact.rejectOffer(offer, 'nobody is at the screen')
   * })
   * ```
   */
  rejectOffer(offer: MediaOffer, reason?: unknown): Promise<void>

  /**
   * Moves to `newMedia` without asking the remote, which only has to stop or to receive something. Only while
   * `mediaState` is `idle`.
   *
   * @param currentMedia - the state from which `newMedia` was made; another one is refused.
   * @param newMedia - complete: a medium left out is turned off, Sharing stays.
   * @returns the final state.
   * @throws {@link ContactError} `invalid_state`, `invalid_argument`, `invalid_offer` — a medium that
   *   nobody knows; `offer_required` — the remote would have to
   * transmit; `glare`, `withdrawn`, `timeout`, `peer_left`, `remote_failed`; `media_denied`,
   * `media_dismissed`, `media_not_found`, `media_in_use`, `media_insecure_context`, `media_failed`,
   * `engine_failed` — here; `not_joined`; `offline` — the code for it could not be loaded; `left`.
   * @example
   * ```ts
   * const media = await contact.getMedia()
   * const { Video, ...rest } = media
   * await contact.transitMedia(media, rest)
   * ```
   */
  transitMedia(currentMedia: MediaState, newMedia: MediaState, options?: TransitOptions): Promise<MediaState>

  /**
   * As `transitMedia`, with only the changes given. The recommended way to turn something off.
   *
   * @throws {@link ContactError} as `transitMedia`.
   * @example
   * ```ts
   * await contact.mergeAndTransitMedia({ Video: { tx: false, rx: false } })
   * ```
   */
  mergeAndTransitMedia(media: PartialMediaState, options?: TransitOptions): Promise<MediaState>

  /**
   * The current state merged with `newMedia`; changes nothing.
   *
   * @throws {@link ContactError} `invalid_argument`; `offline` — the code for it could not be loaded; `left`
   * @example
   * ```ts
   * const { Voice } = await contact.mergeMedia({ Video: { tx: false, rx: false } })
   * ```
   */
  mergeMedia(newMedia: PartialMediaState): Promise<MediaState>

  /**
   * Deep clone; with `includeData`, what cannot be cloned becomes `true`.
   *
   * @throws {@link ContactError} `invalid_argument`
   * @example
   * ```ts
   * const before = contact.cloneMedia(await contact.getMedia(), true)
   * ```
   */
  cloneMedia(media: MediaState, includeData?: boolean): MediaState

  /**
   * What changes from one state to another.
   *
   * @throws {@link ContactError} `invalid_argument`
   * @example
   * ```ts
   * const before = contact.cloneMedia(await contact.getMedia())
   * const { added } = contact.diffMedia(before, await contact.getMedia())
   * if ('Video' in added.media) console.log(`Video by ${added.media['Video']}`)
   * ```
   */
  diffMedia(oldMedia: MediaState, newMedia: MediaState): MediaStateDiff
}
