import type {
  ContactData,
  ContactError,
  ContactEventName,
  ContactEvents,
  DataCollection,
  DataDefinition,
  JsonValue,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  OwnName,
  PartialMediaState,
  RequestHandler,
  Slot,
} from '../protocol/index.ts'
import type { MediaEngine } from '../engines/light.ts'
import type { ChannelOperations } from './contact-channels.ts'
import type { EncryptionOperations } from './contact-encryption.ts'
import type { TranscriptOperations } from './contact-transcript.ts'
import type { RemoteOperations } from './contact-remote.ts'
import type { AttachOptions, Attached } from './attachments/attached.ts'

/** Node-style callback: exactly one of the two is given. */
export type GenericCallback<T = void> = (error: ContactError | null, result?: T) => void

/** Called when the service has stored the message; `messageId` is what a later `ack` names in `ref`. */
export type SendMessageCallback = (error: ContactError | null, messageId?: string) => void

/** Called with the received answer. */
export type MediaOfferCallback = (error: unknown, answer?: MediaState) => void

/** How a transition came about. */
export interface TransitOptions {
  /** The remote asked for it. */
  readonly wasOffered?: boolean
  /** It brings back an earlier state: within 60 s after an interruption the remote follows without a question. */
  readonly restore?: boolean
}

/**
 * One interaction of a visitor with an agent. Both parties hold the same interface; media are relative to the reader.
 *
 * Every operation with a callback returns a Promise when the callback is left out. Ignoring that Promise is safe: it never becomes an
 * unhandled rejection. Whatever is pending when the contact ends settles with `left`. Every operation that talks to the service can
 * also give `unauthorized`, `protocol` or `internal`; they are not repeated below.
 */
export interface Contact extends ChannelOperations, RemoteOperations, EncryptionOperations, TranscriptOperations {
  /** Identifier. It changes when the visitor's contact is `transferred`. */
  readonly id: string
  /** This party's side. */
  readonly role: Slot
  /** State of the media negotiation. */
  readonly mediaState: MediaTransitionState
  /** The contact is end-to-end encrypted. */
  readonly secure: boolean

  /** Calls `handler` with each event of that name until `off`. @throws {@link ContactError} `invalid_argument` — no function */
  on<E extends ContactEventName>(event: E, handler: (event: ContactEvents[E]) => void): void
  /**
   * Under any other name: `handler` answers the remote's requests of that type, and gets its data with that topic.
   *
   * @example
   * ```ts
   * contact.on('GetTitle', (data, callback) => callback(null, document.title))
   * ```
   */
  on<N extends string>(action: OwnName<N>, handler: RequestHandler): void
  /** Stops calling `handler`; without one, every handler of the event. */
  off<E extends ContactEventName>(event: E, handler?: (event: ContactEvents[E]) => void): void
  /** The same for an action or topic. */
  off<N extends string>(action: OwnName<N>, handler?: RequestHandler): void
  /** Calls `handler` with the next event of that name only. @throws {@link ContactError} `invalid_argument` — no function */
  once<E extends ContactEventName>(event: E, handler: (event: ContactEvents[E]) => void): void
  /** The same for an action or topic. */
  once<N extends string>(action: OwnName<N>, handler: RequestHandler): void

  /**
   * Joins the contact once it is assigned to an agent.
   *
   * @param callback - called when joined, or with the error.
   * @param force - join without waiting for news of the assignment.
   * @throws {@link ContactError} `not_assigned` — no agent has taken the contact; `no_crypto` — it is secure, and encryption is not
   * available here; `left` — it is over for this party; `offline`.
   * @example
   * ```ts
   * const contact = await agent.accept(id)
   * await contact.join()
   * ```
   */
  join(callback?: GenericCallback | null, force?: boolean): Promise<void>

  /**
   * Leaves: closes every channel, stops every medium, releases every device. Resolves when all of that is done, also while offline.
   *
   * @param reason - stored and logged; events carry the reasons of the contract.
   * @throws {@link ContactError} `invalid_argument`, `too_large` — of `reason`; nothing else: leaving a second time resolves as well.
   */
  leave(reason?: string, callback?: GenericCallback): Promise<void>

  /**
   * Sends a chat message. It is kept and sent later while the connection is down, or where the service takes no more for a while.
   *
   * @param text - 1 to 8,192 bytes of UTF-8.
   * @param lang - ISO 639-1.
   * @returns the message's id, which a later `ack` names in `ref`, once the service has stored the message.
   * @throws {@link ContactError} `invalid_argument`, `too_large` — also where too much waits to be sent already; `not_joined` — this page has not entered the contact; `left`.
   * @example
   * ```ts
   * const id = await contact.sendText('Good morning')
   * ```
   */
  sendText(text: string, lang?: string, callback?: SendMessageCallback): Promise<string>

  /**
   * Sends an `http` or `https` link.
   *
   * @param url - at most 2,048 characters.
   * @param desc - at most 512 characters.
   * @throws {@link ContactError} as `sendText`; `invalid_argument` for any other scheme.
   */
  sendLink(url: string, desc?: string, callback?: SendMessageCallback): Promise<string>

  /**
   * Sends a message of a type of the application's own.
   *
   * @param code - letters, digits and `._:-`, at most 128.
   * @param args - at most 4 KiB together.
   * @throws {@link ContactError} as `sendText`.
   */
  sendAction(code: string, args?: string | readonly string[], callback?: SendMessageCallback): Promise<string>

  /**
   * Sends a file. It is uploaded in parts, and goes on where it was cut once the service is back. Both parties then get `attachment`.
   *
   * @param description - at most 512 bytes.
   * @param referenceId - the application's own name for it, at most 512 bytes, repeated in the event.
   * @param how - called when the service has stored the file; or options to follow and to cancel the upload.
   * @throws {@link ContactError} `invalid_argument` — it is no `File`; `not_supported` — the capabilities of one of the parties exclude files, or this type;
   * `too_large` — the file is larger than `Media.Sharing.MaxFileSize` of one of the parties, or the service has no room or quota for it;
   * `rate_limited` — too many files in a short time; `withdrawn` — it was cancelled; `timeout` — the service could not take it, time after time;
   * `forbidden`, `not_joined`, `offline` — its code could not be loaded; `left`.
   * @example
   * ```ts
   * const cancel = new AbortController()
   * const { id } = await contact.attach(input.files[0], 'The broken part', undefined, {
   *   signal: cancel.signal,
   *   onProgress: (sentBytes, totalBytes) => bar.value = sentBytes / totalBytes,
   * })
   * ```
   */
  attach(file: File, description?: string | null, referenceId?: string | null, how?: GenericCallback<Attached> | AttachOptions): Promise<Attached>

  /**
   * Beyond the contract. An address of a file of this contact, good for a few minutes: those of the event and of `attach` get old. It may stand in `<a href>`, and of
   * images in `<img crossorigin="anonymous" src>`. The file is always given as a download.
   *
   * @param id - `meta.id` of the `attachment` event.
   * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `not_assigned`, `rate_limited`, `timeout`, `offline`, `left`
   */
  attachmentUrl(id: string): Promise<string>

  /** Tells the remote that this party is typing; sent at most once in 3 s, never stored. */
  sendIsWriting(): void

  /** Registered engine of that id, or `undefined`. */
  getMediaEngine(id: string): MediaEngine | undefined

  /**
   * Registers an engine. Its media appear in the capabilities and can be negotiated.
   *
   * @returns the updated local capabilities.
   * @throws {@link ContactError} `invalid_argument` — no engine, or its id is taken; `engine_failed` — it cannot tell its capabilities; `left`.
   */
  registerMediaEngine(engine: MediaEngine): Promise<MediaCapabilities>

  /**
   * Current media state.
   *
   * @param clone - replaces what cannot be cloned (MediaStream) by `true`.
   */
  getMedia(clone?: boolean): Promise<MediaState>

  /** An offer that describes the current state: what is on is `required`, what is off is `off`. */
  getMediaOffer(): Promise<MediaOffer>

  /** State of the media negotiation, as `mediaState`. */
  getMediaState(): MediaTransitionState

  /**
   * Offers media to the remote and moves to the answered state if the answer accepts. A medium that the offer leaves out is turned off:
   * start from {@link Contact.getMediaOffer}. Only while `mediaState` is `idle`.
   *
   * @returns the answer. Where it breaks a `required`, the offer was refused and nothing has changed.
   * @throws {@link ContactError} `invalid_state` — not idle; `invalid_offer`; `glare` — the remote was first; `rejected`; `withdrawn`; `timeout`;
   * `invalid_answer`; `peer_left`; `remote_failed`; `media_denied`, `media_dismissed`, `media_not_found`, `media_in_use`, `media_insecure_context`,
   * `media_failed`, `engine_failed` — here; `not_joined` — this page has not entered the contact; `left`.
   * @example
   * ```ts
   * const offer = await contact.getMediaOffer()
   * const answer = await contact.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'required' } })
   * ```
   */
  offerMedia(offer: MediaOffer, callback?: MediaOfferCallback): Promise<MediaState>

  /** Takes back an own offer that is not answered yet; its Promise rejects with `withdrawn`, unless the answer was faster. */
  withdrawOffer(): void

  /**
   * Moves to `newMedia` without asking the remote, which only has to stop or to receive something. Only while `mediaState` is `idle`.
   *
   * @param currentMedia - the state from which `newMedia` was made; another one is refused.
   * @param newMedia - complete: a medium left out is turned off, Sharing stays.
   * @returns the final state.
   * @throws {@link ContactError} `invalid_state`, `invalid_argument`, `invalid_offer` — a medium that nobody knows; `offer_required` — the remote would have to
   * transmit; `glare`, `withdrawn`, `timeout`, `peer_left`, `remote_failed`; `media_denied`, `media_dismissed`, `media_not_found`, `media_in_use`,
   * `media_insecure_context`, `media_failed`, `engine_failed` — here; `not_joined`, `left`.
   */
  transitMedia(currentMedia: MediaState, newMedia: MediaState, options?: TransitOptions): Promise<MediaState>

  /**
   * As {@link Contact.transitMedia}, with only the changes given. The recommended way to turn something off.
   *
   * @throws {@link ContactError} as `transitMedia`.
   * @example
   * ```ts
   * await contact.mergeAndTransitMedia({ Video: { tx: false, rx: false } })
   * ```
   */
  mergeAndTransitMedia(media: PartialMediaState, options?: TransitOptions): Promise<MediaState>

  /** The current state merged with `newMedia`; changes nothing. @throws {@link ContactError} `invalid_argument` */
  mergeMedia(newMedia: PartialMediaState): Promise<MediaState>

  /** Deep clone; with `includeData`, what cannot be cloned becomes `true`. @throws {@link ContactError} `invalid_argument` */
  cloneMedia(media: MediaState, includeData?: boolean): MediaState

  /** What changes from one state to another. @throws {@link ContactError} `invalid_argument` */
  diffMedia(oldMedia: MediaState, newMedia: MediaState): MediaStateDiff

  /**
   * The values of the fields that a form's definition fills from a constant, for `data` of `createContact`. Also exported by itself.
   *
   * @throws {@link ContactError} `invalid_argument` — not a definition.
   */
  dataCollectionDefaultConstantToObject(def: DataDefinition): DataCollection

  /**
   * Changes a form field for the visitor: agents only. Both parties get `datachange`; the field keeps its first value in `original`, and the agent's
   * id in `editedBy`.
   *
   * @param form - name of the form.
   * @param field - name of the field, which must be `editable`.
   * @param value - as the field's type wants it; a boolean for a checkbox; null empties the field.
   * @throws {@link ContactError} `forbidden` — the field is not editable, or this is not the agent; `not_found` — there is no such field that the agent
   * may see; `invalid_argument` — not a value of the field's type; `too_large`; `not_joined`; `not_assigned`; `offline`; `rate_limited`; `timeout`; `left`.
   * @example
   * ```ts
   * await contact.editData('order', 'phone', '+390000000000')
   * ```
   */
  editData(form: string, field: string, value: JsonValue, callback?: GenericCallback): Promise<void>

  /** The contact's record as last read from the service. */
  data(): ContactData
}

/** What a visitor may say when starting a contact. */
export interface ContactOptions {
  /** Shown to the agent; at most 64 characters. */
  readonly nick?: string
  /** ISO 639-1. */
  readonly lang?: string
  /** Skills that the agent should have. */
  readonly tags?: readonly string[]
  readonly data?: DataCollection
  /** Media wanted from the start; default Chat both ways. What is more than Chat is offered when the agent has joined. */
  readonly initialOffer?: MediaOffer
  /** End-to-end encryption. */
  readonly secure?: boolean
}
