import type { MediaEngine } from '../engines/light.ts'
import { ContactError, LIMITS, countChannels, isWebUrl } from '../protocol/index.ts'
import type {
  ChannelData,
  ContactData,
  ContactEvents,
  DataChannel,
  JsonValue,
  Letter,
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaStateDiff,
  MediaTransitionState,
  PartialMediaState,
  Slot,
} from '../protocol/index.ts'
import { attach, attachmentUrl } from './attachments/operations.ts'
import type { Attached } from './attachments/attached.ts'
import type { Contact, GenericCallback, MediaOfferCallback, SendMessageCallback, TransitOptions } from './contact.ts'
import type { ContactCore } from './contact-core.ts'
import { WithoutEncryption } from './contact-encryption.ts'
import type { Handler } from './emitter.ts'
import { MediaOperations } from './media-operations.ts'
import { handOver, randomName, requireText, settle } from './settle.ts'

/** Of an event, or of an action: the interface says which. */
type AnyHandler = (...args: never[]) => void

const TYPING_PAUSE_MS = 3_000
const NAME = /^[A-Za-z0-9._:-]{1,128}$/

/** The documented contact on the machines: every operation is a command to one of them, every event comes from one of them. */
export class LiveContact extends WithoutEncryption implements Contact {
  readonly #core: ContactCore
  readonly #media: MediaOperations
  #typedAt = Number.NEGATIVE_INFINITY

  constructor(core: ContactCore) {
    super()
    this.#core = core
    this.#media = new MediaOperations(core)
    core.lane.on('iswriting', () => core.delivery.emit('iswriting', this.#peer()))
  }

  get id(): string {
    return this.#core.id
  }

  get role(): Slot {
    return this.#core.options.role
  }

  get secure(): boolean {
    return this.#core.record.secure
  }

  get mediaState(): MediaTransitionState {
    return this.#media.state
  }

  on(event: string, handler: AnyHandler): void {
    this.#core.delivery.handlers.on(event, handler as Handler)
  }

  off(event: string, handler?: AnyHandler): void {
    this.#core.delivery.handlers.off(event, handler as Handler | undefined)
  }

  once(event: string, handler: AnyHandler): void {
    this.#core.delivery.handlers.once(event, handler as Handler)
  }

  join(callback?: GenericCallback | null, force = false): Promise<void> {
    return settle('join the contact', this.#join(force), callback)
  }

  leave(reason?: string, callback?: GenericCallback): Promise<void> {
    return settle('leave the contact', this.#leave(reason), callback)
  }

  sendText(text: string, lang?: string, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the text', callback, () => {
      requireText('send the text', text, { name: 'text', bytes: LIMITS.textBytes })
      if (text.length === 0) throw new ContactError('invalid_argument', 'unable to send the text; it is empty')
      if (lang !== undefined && lang !== null) requireText('send the text', lang, { name: 'lang', bytes: 16 })
      return { type: 'text', body: { text, ...(lang && { lang }) } }
    })
  }

  sendLink(url: string, desc?: string, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the link', callback, () => {
      requireText('send the link', url, { name: 'url' })
      if (url.length > LIMITS.url) throw new ContactError('too_large', `unable to send the link; url is longer than ${LIMITS.url} characters`)
      if (!isWebUrl(url)) throw new ContactError('invalid_argument', 'unable to send the link; url must be an http or https address without credentials')
      if (desc !== undefined && desc !== null) requireText('send the link', desc, { name: 'desc', bytes: LIMITS.desc })
      return { type: 'link', body: { url, ...(desc && { desc }) } }
    })
  }

  sendAction(code: string, args: string | readonly string[] = [], callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the action', callback, () => {
      requireText('send the action', code, { name: 'code' })
      if (!NAME.test(code)) throw new ContactError('invalid_argument', 'unable to send the action; code must be 1 to 128 letters, digits or ._:-')
      const list = typeof args === 'string' ? [args] : args
      if (!Array.isArray(list)) throw new ContactError('invalid_argument', 'unable to send the action; args must be a string or a list of strings')
      for (const arg of list) requireText('send the action', arg, { name: 'args' })
      requireText('send the action', list.join(''), { name: 'args', bytes: LIMITS.actionArgsBytes })
      return { type: 'action', body: { code, args: list as string[] } }
    })
  }

  sendIsWriting(): void {
    const { clock } = this.#core.options
    if (!this.#core.attendance.isInside() || clock.now() - this.#typedAt < TYPING_PAUSE_MS) return
    this.#typedAt = clock.now()
    try {
      this.#core.lane.send('iswriting', {})
    } catch {
      return
    }
    this.#core.delivery.emit('localiswriting', {})
  }

  getDataChannel(id: string, type?: string): Promise<DataChannel> {
    return settle('open the channel', this.#core.channels.get(id, type))
  }

  sendData(channel: string, data: ChannelData, ...options: readonly [topic?: string, type?: string]): Promise<void> {
    const [topic, type] = options
    return settle('send the data', this.#core.channels.send(channel, data, { topic, type }))
  }

  attach(...[file, desc, referenceId, how]: Parameters<Contact['attach']>): Promise<Attached> {
    return attach(this.#core, { file, desc, referenceId }, how)
  }

  attachmentUrl(id: string): Promise<string> {
    return attachmentUrl(this.#core, id)
  }

  request(...[type, data, timeout, retries, callback]: Parameters<Contact['request']>): Promise<JsonValue | undefined> {
    return handOver<JsonValue | undefined, unknown>(this.#core.calls.request({ type, data, timeout, retries }), callback)
  }

  getMediaEngine(id: string): MediaEngine | undefined {
    return this.#core.engines.roster.get(id)
  }

  registerMediaEngine(engine: MediaEngine): Promise<MediaCapabilities> {
    return settle(
      'register the engine',
      this.#run(() => this.#media.register(engine)),
    )
  }

  getMedia(clone = false): Promise<MediaState> {
    return settle(
      'read the media',
      this.#run(() => this.#media.getMedia(clone)),
    )
  }

  getMediaOffer(): Promise<MediaOffer> {
    return settle(
      'read the media',
      this.#run(() => this.#media.getMediaOffer()),
    )
  }

  getMediaState(): MediaTransitionState {
    return this.#media.state
  }

  offerMedia(offer: MediaOffer, callback?: MediaOfferCallback): Promise<MediaState> {
    return settle(
      'offer media',
      this.#run(() => this.#media.offer(offer)),
      callback,
    )
  }

  withdrawOffer(): void {
    this.#media.withdraw()
  }

  transitMedia(currentMedia: MediaState, newMedia: MediaState, options?: TransitOptions): Promise<MediaState> {
    return settle(
      'change media',
      this.#run(() => this.#media.transit(currentMedia, newMedia, options)),
    )
  }

  mergeAndTransitMedia(media: PartialMediaState, options?: TransitOptions): Promise<MediaState> {
    return settle(
      'change media',
      this.#run(() => this.#media.mergeAndTransit(media, options)),
    )
  }

  mergeMedia(newMedia: PartialMediaState): Promise<MediaState> {
    return settle(
      'merge media',
      this.#run(() => this.#media.merged(newMedia)),
    )
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
    const set = this.#run(() => this.#core.capabilities.setAt(path, value))
    return settle('set the capability', set)
  }

  setLocalCapabilities(capabilities: MediaCapabilities): Promise<MediaCapabilities> {
    const set = this.#run(() => this.#core.capabilities.setAll(capabilities))
    return settle('set the capabilities', set)
  }

  getRemoteCapabilities(): Promise<MediaCapabilities> {
    return settle('read the capabilities of the remote', this.#core.capabilities.fetch())
  }

  updateRemoteCapabilities(): Promise<MediaCapabilities> {
    return settle('exchange capabilities', this.#core.capabilities.exchange())
  }

  data(): ContactData {
    const { record, log, media } = this.#core
    const { life, agent, channels, reason } = log.state
    if (log.state.seq === 0) return record
    return {
      ...record,
      state: life,
      ...(agent && { agent }),
      mediaState: media?.getSnapshot().context.shared.media ?? log.state.shared.media,
      channels: countChannels(channels),
      ...(reason && { reason }),
    }
  }

  /** Gives this page's part back; the contact goes on and can be resumed. */
  drop(): void {
    this.#core.attendance.drop()
  }

  async #join(force: boolean): Promise<void> {
    const { attendance } = this.#core
    if (attendance.isOver()) throw over('join the contact')
    if (attendance.membership.getSnapshot().context.life === 'queued' && !force)
      throw new ContactError('not_assigned', 'unable to join the contact; it is not assigned to an agent')
    await attendance.enter()
  }

  async #leave(reason: string | undefined): Promise<void> {
    if (reason !== undefined && reason !== null) requireText('leave the contact', reason, { name: 'reason', bytes: LIMITS.desc })
    await this.#core.attendance.leave(reason)
  }

  #send(operation: string, callback: SendMessageCallback | undefined, letter: () => Omit<Letter, 'id'>): Promise<string> {
    const id = randomName()
    const sent = this.#run(async () => {
      const { attendance, outbox } = this.#core
      const entry = { ...letter(), id } as Letter
      attendance.requirePart(operation)
      await outbox.add(entry)
      return id
    })
    return settle(operation, sent, callback)
  }

  /** Runs at once, inside the caller's click; a throw is a rejection. */
  async #run<T>(operation: () => T | Promise<T>): Promise<T> {
    return await operation()
  }

  #peer(): ContactEvents['iswriting'] {
    const { record } = this.#core
    const { role } = this.#core.options
    const { agent } = this.#core.log.state
    if (role === 'visitor') return { from_id: agent?.user ?? '', ...(agent && { from_nick: agent.nick }), agent: true }
    return { from_id: record.visitor.id, ...(record.visitor.nick !== undefined && { from_nick: record.visitor.nick }), agent: false }
  }
}

const over = (operation: string): ContactError => new ContactError('left', `unable to ${operation}; the contact is over for this party`)
