import type {
  ContactData,
  ContactEventName,
  ContactEvents,
  DataCollection,
  DataDefinition,
  JsonValue,
  ListenOptions,
  MediaOffer,
  MediaTransitionState,
  OwnName,
  RequestHandler,
  Slot,
  Unsubscribe,
} from '../../protocol/index.ts'
import type { GenericCallback } from './callbacks.ts'
import type { ChannelOperations } from './channels.ts'
import type { EncryptionOperations } from './encryption.ts'
import type { TranscriptOperations } from './transcript.ts'
import type { RemoteOperations } from './remote.ts'
import type { MediaNegotiation } from './media.ts'
import type { MessageOperations } from './messages.ts'

/**
 * One interaction of a visitor with an agent. Both parties hold the same interface; media are relative to the
 * reader.
 *
 * Every operation with a callback returns a Promise when the callback is left out. Ignoring that Promise is
 * safe: it never becomes an unhandled rejection. Whatever is pending when the contact ends settles with
 * `left`. Every operation that talks to the service can also give `unauthorized`, `protocol` or `internal`;
 * they are not repeated below.
 */
export interface Contact
  extends
    MessageOperations,
    MediaNegotiation,
    ChannelOperations,
    RemoteOperations,
    EncryptionOperations,
    TranscriptOperations {
  /** Identifier. It changes as the event `transferred` of the visitor's contact comes, not before. */
  readonly id: string
  /** This party's side. */
  readonly role: Slot
  /** State of the media negotiation. */
  readonly mediaState: MediaTransitionState
  /**
   * This page has the slot of its party, and with it the call. False before the page is announced, and while
   * another page of the party has it: `takeOver` moves it to this one.
   */
  readonly holdsSlot: boolean
  /** The contact is end-to-end encrypted. */
  readonly secure: boolean

  /**
   * Calls `handler` with each event of that name until `off`, or until `signal` is aborted.
   *
   * @returns a function that takes the handler off.
   * @throws {@link ContactError} `invalid_argument` — no function, or no signal
   * @example
   * ```ts
   * const unsubscribe = contact.on('text', ({ text, from_nick }) => console.log(from_nick, text))
   * const view = new AbortController()
   * contact.on('mediachange', ({ newMedia }) => console.log(newMedia), { signal: view.signal })
   * view.signal.addEventListener('abort', unsubscribe)
   * ```
   */
  on<E extends ContactEventName>(
    event: E,
    handler: (event: ContactEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe
  /**
   * Under any other name: `handler` answers the remote's requests of that type. It also gets data with that
   * topic, as `{ channel, data, topic }` and with a callback that does nothing.
   *
   * @example
   * ```ts
   * contact.on('GetTitle', (data, callback) => callback(null, document.title))
   * ```
   */
  on<N extends string>(action: OwnName<N>, handler: RequestHandler, options?: ListenOptions): Unsubscribe
  /**
   * Stops calling `handler`; without one, every handler of the event.
   *
   * @example
   * ```ts
   * const handler = ({ text }: { readonly text: string }) => console.log(text)
   * contact.on('text', handler)
   * contact.off('text', handler)
   * ```
   */
  off<E extends ContactEventName>(event: E, handler?: (event: ContactEvents[E]) => void): void
  /** The same for an action or topic. */
  off<N extends string>(action: OwnName<N>, handler?: RequestHandler): void
  /**
   * Calls `handler` with the next event of that name only.
   *
   * @returns as `on`.
   * @throws {@link ContactError} `invalid_argument` — no function, or no signal
   * @example
   * ```ts
   * contact.once('joined', ({ nick }) => console.log(`${nick} is here`))
   * ```
   */
  once<E extends ContactEventName>(
    event: E,
    handler: (event: ContactEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe
  /** The same for an action or topic. */
  once<N extends string>(action: OwnName<N>, handler: RequestHandler, options?: ListenOptions): Unsubscribe

  /**
   * Joins the contact once it is assigned to an agent.
   *
   * @param callback - called when joined, or with the error.
   * @param force - join without waiting for news of the assignment.
   * @throws {@link ContactError} `not_assigned` — no agent has taken the contact; `no_crypto` — it is
   *   secure, and encryption is not
   * available here; `left` — it is over for this party; `offline`.
   * @example
   * ```ts
   * const contact = await agent.accept(id)
   * await contact.join()
   * ```
   */
  join(callback?: GenericCallback | null, force?: boolean): Promise<void>

  /**
   * Leaves: closes every channel, stops every medium, releases every device. Resolves when all of that is
   * done, also while offline.
   *
   * @param reason - stored and logged; events carry the reasons of the contract.
   * @throws {@link ContactError} `invalid_argument`, `too_large` — of `reason`; nothing else: leaving a
   *   second time resolves as well.
   * @example
   * ```ts
   * await contact.leave('the user has closed the page')
   * ```
   */
  leave(reason?: string, callback?: GenericCallback): Promise<void>

  /**
   * Moves the slot and the call of this party to this page, from another one (a second tab, another browser)
   * that has them. That page gets `left` and follows: it sees everything and may send messages. A page that
   * holds the slot already stays as it is.
   *
   * @throws {@link ContactError} `glare` — still another page was first; `not_joined` — this page has not
   *   entered the contact; `offline` — the code for it could not be loaded; `left`.
   * @example
   * ```ts
   * button.hidden = contact.holdsSlot
   * button.addEventListener('click', () => contact.takeOver())
   * ```
   */
  takeOver(callback?: GenericCallback): Promise<void>

  /**
   * The values of the fields that a form's definition fills from a constant, for `data` of `createContact`.
   * Also exported by itself.
   *
   * @throws {@link ContactError} `invalid_argument` — not a definition.
   * @example
   * ```ts
   * const data = contact.dataCollectionDefaultConstantToObject({
   *   id: 'order',
   *   desc: 'Order',
   *   fields: [{ id: 'plan', desc: 'Plan', type: 'text', autofill: { from: 'constant', value: 'gold' } }],
   * })
   * ```
   */
  dataCollectionDefaultConstantToObject(def: DataDefinition): DataCollection

  /**
   * Changes a form field for the visitor: agents only. Both parties get `datachange`; the field keeps its
   * first value in `original`, and the agent's id in `editedBy`.
   *
   * @param form - name of the form.
   * @param field - name of the field, which must be `editable`.
   * @param value - as the field's type wants it; a boolean for a checkbox; null empties the field.
   * @throws {@link ContactError} `forbidden` — the field is not editable, or this is not the agent;
   *   `not_found` — there is no such field that the agent
   * may see; `invalid_argument` — not a value of the field's type; `too_large`; `not_joined`; `not_assigned`;
   * `offline`; `rate_limited`; `timeout`; `left`.
   * @example
   * ```ts
   * await contact.editData('order', 'phone', '+390000000000')
   * ```
   */
  editData(form: string, field: string, value: JsonValue, callback?: GenericCallback): Promise<void>

  /**
   * The contact's record as last read from the service.
   *
   * @example
   * ```ts
   * const { visitor, tags, data } = contact.data()
   * console.log(visitor.nick, tags, data)
   * ```
   */
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
  /**
   * Media wanted from the start; default Chat both ways. What is more than Chat is offered when the agent has
   * joined; where that fails, event `error`.
   */
  readonly initialOffer?: MediaOffer
  /** End-to-end encryption. */
  readonly secure?: boolean
  /**
   * A message for later: the contact waits for an agent also while the visitor is away, for days (`--later` of the
   * service); `leave` withdraws it. `true`: always. `'unattended'`: where no agent is there when it is
   * created. `data().later` says whether it is one. Not for a secure contact, whose two parties must meet first.
   */
  readonly later?: boolean | 'unattended'
}
