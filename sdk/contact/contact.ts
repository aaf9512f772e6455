import type { MediaEngine } from '../../engines/eager.ts'
import { copyOf, dataCollectionDefaultConstantToObject } from '../../protocol/index.ts'
import type {
  ContactData,
  DataChannel,
  DataCollection,
  DataDefinition,
  JsonValue,
  ListenOptions,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  PartialMediaState,
  Slot,
  Unsubscribe,
} from '../../protocol/index.ts'
import type { Attached, OpenOptions } from '../api/attachments.ts'
import type { GenericCallback, MediaOfferCallback, SendMessageCallback } from '../api/callbacks.ts'
import type { Contact } from '../api/contact.ts'
import type { AnswerChoice, TransitOptions } from '../api/media.ts'
import type { TranscriptMessage, TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import { atOnce } from '../async/at-once.ts'
import { callbackify } from '../async/callbackify.ts'
import { runOperation } from '../async/run-operation.ts'
import type { AttachHost } from '../attachments/attach-host.ts'
import { attach, attachmentUrl, openAttachment } from '../attachments/operations.ts'
import type { Encryption } from '../crypto/interface.ts'
import type { DataChannels } from '../data-channels/data-channels.ts'
import type { FieldEdit } from '../forms/edit-host.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { Capabilities } from '../media/capabilities.ts'
import type { ContactMedia } from '../media/contact-media.ts'
import { cloneOf, diffOf } from '../media/media-values.ts'
import type { RemoteCalls } from '../rpc/remote-calls.ts'
import type { TranscriptHost } from '../transcript/transcript.ts'
import { readTranscript, transcript } from '../transcript/operations.ts'
import { fromArguments } from '../values/arguments.ts'
import type { ContactSession } from './contact-session.ts'
import type { Handler } from './emitter.ts'
import type { Delivery } from './event-queue.ts'
import type { Membership } from './membership.ts'
import type { Messages } from './messages.ts'
import { recordOf } from './contact-record.ts'
import { WithEncryption } from './with-encryption.ts'

/** Of an event, or of an action: the interface says which. */
type AnyHandler = (...args: never[]) => void

/** The parts of a contact to which its operations go. */
export interface ContactImplParts {
  readonly role: Slot
  /** As code that is loaded when it is needed takes the contact. */
  readonly host: AttachHost & TranscriptHost
  readonly link: Pick<ServiceLink, 'state'>
  readonly session: Pick<ContactSession, 'state' | 'takeOver'>
  readonly editField: (edit: FieldEdit) => Promise<void>
  readonly toldId: () => string
  readonly membership: Membership
  readonly delivery: Pick<Delivery, 'handlers'>
  readonly messages: Messages
  readonly channels: Pick<DataChannels, 'get' | 'send'>
  readonly calls: Pick<RemoteCalls, 'request'>
  readonly capabilities: Capabilities
  readonly media: ContactMedia
  readonly encryption: Encryption | null
  /** Calls `hear` with each entry when its events are emitted; it says whether a handler had the entry. */
  readonly follow: (hear: (read: ReadEntry) => boolean) => Delivery['hold']
}

/** The documented contact: each operation goes to the part that carries it out. */
export class ContactImpl extends WithEncryption implements Contact {
  readonly #parts: ContactImplParts
  readonly #media: ContactMedia
  readonly sendRead: Contact['sendRead'] = (ref) => this.#parts.messages.sendRead(ref)

  constructor(parts: ContactImplParts) {
    super(parts.encryption)
    this.#parts = parts
    this.#media = parts.media
  }

  get id(): string {
    return this.#parts.toldId()
  }

  get role(): Slot {
    return this.#parts.role
  }

  get secure(): boolean {
    return this.encryption !== null || this.#parts.session.state.record.secure
  }

  on(event: string, handler: AnyHandler, options?: ListenOptions): Unsubscribe {
    return this.#parts.delivery.handlers.on(event, handler as Handler, options)
  }

  off(event: string, handler?: AnyHandler): void {
    this.#parts.delivery.handlers.off(event, handler as Handler | undefined)
  }

  once(event: string, handler: AnyHandler, options?: ListenOptions): Unsubscribe {
    return this.#parts.delivery.handlers.once(event, handler as Handler, options)
  }

  join(callback?: GenericCallback | null, force = false): Promise<void> {
    const enter = (): Promise<void> => this.#parts.membership.join({ force, isLocked: this.isLocked })
    return runOperation('join the contact', enter, callback)
  }

  leave(reason?: string, callback?: GenericCallback): Promise<void> {
    return runOperation('leave the contact', () => this.#parts.membership.leave(reason), callback)
  }

  takeOver(callback?: GenericCallback): Promise<void> {
    return runOperation('take the contact over', () => this.#parts.session.takeOver(), callback)
  }

  sendText(text: string, lang?: string, callback?: SendMessageCallback): Promise<string> {
    return this.#parts.messages.sendText(text, lang, callback)
  }

  sendLink(url: string, desc?: string, callback?: SendMessageCallback): Promise<string> {
    return this.#parts.messages.sendLink(url, desc, callback)
  }

  sendAction(code: string, args: JsonValue = null, callback?: SendMessageCallback): Promise<string> {
    return this.#parts.messages.sendAction(code, args, callback)
  }

  sendIsWriting(): void {
    this.#parts.messages.sendIsWriting()
  }

  get holdsSlot(): boolean {
    return this.#parts.session.state.holdsSlot
  }

  get mediaState(): MediaTransitionState {
    return this.#media.state
  }

  getMediaEngine(id: string): MediaEngine | undefined {
    return this.#media.engines.get(id)
  }

  registerMediaEngine(engine: MediaEngine): Promise<MediaCapabilities> {
    return runOperation('register the engine', () => this.#media.ask('register', engine))
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
    return runOperation('offer media', () => this.#media.ask('offer', offer), callback)
  }

  withdrawOffer(): void {
    this.#media.withdraw()
  }

  answer(offer: MediaOffer, choice?: AnswerChoice): MediaState {
    return copyOf(this.#media.answer(offer, choice))
  }

  acceptOffer(offer: MediaOffer, choice?: AnswerChoice): Promise<MediaState> {
    return runOperation('answer the offer', () => this.#media.ask('accept', offer, choice))
  }

  rejectOffer(offer: MediaOffer, reason?: unknown): Promise<void> {
    return runOperation('answer the offer', () => this.#media.ask('reject', offer, reason))
  }

  transitMedia(now: MediaState, next: MediaState, options?: TransitOptions): Promise<MediaState> {
    return runOperation('change media', () => this.#media.ask('transit', now, next, options))
  }

  mergeAndTransitMedia(media: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    return runOperation('change media', () => this.#media.ask('mergeAndTransit', media, options))
  }

  mergeMedia(newMedia: PartialMediaState): Promise<MediaState> {
    return runOperation('merge media', () => this.#media.ask('merged', newMedia))
  }

  cloneMedia(media: MediaState, includeData?: boolean): MediaState {
    return cloneOf(media, includeData)
  }

  diffMedia(oldMedia: MediaState, newMedia: MediaState): MediaStateDiff {
    return diffOf(oldMedia, newMedia)
  }

  getLocalCapabilities(): Promise<MediaCapabilities> {
    return Promise.resolve(structuredClone(this.#parts.capabilities.local))
  }

  setLocalCapability(path: string, value: unknown): Promise<MediaCapabilities> {
    return runOperation('set the capability', () => this.#parts.capabilities.setAt(path, value))
  }

  setLocalCapabilities(capabilities: MediaCapabilities): Promise<MediaCapabilities> {
    return runOperation('set the capabilities', () => this.#parts.capabilities.setAll(capabilities))
  }

  getRemoteCapabilities(): Promise<MediaCapabilities> {
    return runOperation('read the capabilities of the remote', () => this.#parts.capabilities.fetch())
  }

  updateRemoteCapabilities(): Promise<MediaCapabilities> {
    return runOperation('exchange capabilities', () => this.#parts.capabilities.exchange())
  }

  getDataChannel(id: string, type?: string): Promise<DataChannel> {
    return runOperation('open the channel', () => this.#parts.channels.get(id, type))
  }

  sendData(...[channel, data, topic, type]: Parameters<Contact['sendData']>): Promise<void> {
    const own = (): typeof data => fromArguments('send the data', () => copyOf(data))
    return runOperation('send the data', () => this.#parts.channels.send(channel, own(), { topic, type }))
  }

  attach(...[file, desc, referenceId, how]: Parameters<Contact['attach']>): Promise<Attached> {
    return attach(this.#parts.host, { file, desc, referenceId }, how)
  }

  attachmentUrl(id: string): Promise<string> {
    return attachmentUrl(this.#parts.host, id)
  }

  openAttachment(id: string, how?: OpenOptions): Promise<Blob> {
    return openAttachment(this.#parts.host, id, how)
  }

  request(...asked: Parameters<Contact['request']>): Promise<JsonValue | undefined> {
    const [type, data, timeout, retries, callback] = asked
    const making = atOnce(() => {
      const own = fromArguments('make the request', () => copyOf(data))
      return this.#parts.calls.request({ type, data: own, timeout, retries })
    })
    return callbackify<JsonValue | undefined, unknown>(making, callback)
  }

  readTranscript(options?: TranscriptOptions): Promise<TranscriptPage> {
    return readTranscript(this.#parts.host, options)
  }

  transcript(): AsyncGenerator<TranscriptMessage, void, undefined> {
    return transcript(this.#parts.host)
  }

  data(): ContactData {
    return copyOf(recordOf(this.#parts.session.state, this.#parts.media.media))
  }

  dataCollectionDefaultConstantToObject(def: DataDefinition): DataCollection {
    return dataCollectionDefaultConstantToObject(def)
  }

  editData(...[form, field, value, callback]: Parameters<Contact['editData']>): Promise<void> {
    return runOperation('edit the field', () => this.#parts.editField({ form, field, value }), callback)
  }

  /** Whether this page takes part in the contact and is connected. */
  isConnected(): boolean {
    return this.#parts.membership.isInside() && this.#parts.link.state === 'online'
  }

  /**
   * For the compatibility entry. `hear` is told of each entry in the turn of its events, with the address of
   * the service, and says whether a handler had it. What is returned holds the events back.
   */
  follow(hear: (read: ReadEntry, service: string) => boolean): Delivery['hold'] {
    return this.#parts.follow((read) => hear(read, this.#parts.host.service))
  }

  /** Gives this page's part back; the contact goes on and can be resumed. */
  drop(): void {
    this.#parts.membership.drop()
  }

  /** This party has it no more: that is all that a page hears which has not entered it. */
  endOutside(): void {
    if (this.#parts.membership.isOutside()) this.#parts.membership.end()
  }
}
