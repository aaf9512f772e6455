import {
  ContactError,
  ENVELOPE_DEPTH,
  LIMITS,
  argsBytes,
  countChannels,
  dataCollectionDefaultConstantToObject,
  isName,
  isWebUrl,
  shapeFault,
} from '../../protocol/index.ts'
import type {
  ChannelData,
  ContactData,
  DataCollection,
  DataDefinition,
  ContactEvents,
  DataChannel,
  JsonValue,
  UnsentEntry,
  ListenOptions,
  Slot,
  Unsubscribe,
} from '../../protocol/index.ts'
import { attach, attachmentUrl } from '../attachments/operations.ts'
import type { Attached } from '../api/attachments.ts'
import type { Contact } from '../api/contact.ts'
import type { GenericCallback, SendMessageCallback } from '../api/callbacks.ts'
import type { ContactCore } from './contact-core.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { TranscriptMessage, TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import { copyOf } from '../values/copy.ts'
import { isContactClosed } from './contact-closed.ts'
import { editData } from '../forms/edit-data.ts'
import type { EditHost } from '../forms/edit-data.ts'
import type { AttachHost } from '../attachments/attach.ts'
import { loaded } from '../async/lazy-module.ts'
import type { Handler } from './emitter.ts'
import { later } from './lazy-modules.ts'
import { LiveMedia } from './contact-media.ts'
import { asJson, fromArguments, requireText } from '../values/arguments.ts'
import { atOnce } from '../async/at-once.ts'
import { callbackify } from '../async/callbackify.ts'
import { randomName } from '../values/random-id.ts'
import { runOperation } from '../async/run-operation.ts'

/** Of an event, or of an action: the interface says which. */
type AnyHandler = (...args: never[]) => void

const TYPING_PAUSE_MS = 3_000

/**
 * The documented contact on the machines: every operation is a command to one of them, every event comes from
 * one of them.
 */
export class LiveContact extends LiveMedia implements Contact {
  readonly #core: ContactCore
  #typedAt = Number.NEGATIVE_INFINITY

  constructor(core: ContactCore) {
    super(core)
    this.#core = core
    core.relay.on('iswriting', () => core.delivery.emit('iswriting', this.#peer()))
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

  on(event: string, handler: AnyHandler, options?: ListenOptions): Unsubscribe {
    return this.#core.delivery.handlers.on(event, handler as Handler, options)
  }

  off(event: string, handler?: AnyHandler): void {
    this.#core.delivery.handlers.off(event, handler as Handler | undefined)
  }

  once(event: string, handler: AnyHandler, options?: ListenOptions): Unsubscribe {
    return this.#core.delivery.handlers.once(event, handler as Handler, options)
  }

  join(callback?: GenericCallback | null, force = false): Promise<void> {
    return runOperation('join the contact', () => this.#join(force), callback)
  }

  leave(reason?: string, callback?: GenericCallback): Promise<void> {
    return runOperation('leave the contact', () => this.#leave(reason), callback)
  }

  takeOver(callback?: GenericCallback): Promise<void> {
    return runOperation('take the contact over', () => this.#takeOver(), callback)
  }

  sendText(text: string, lang?: string, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the text', callback, () => {
      requireText('send the text', text, { name: 'text', bytes: LIMITS.textBytes })
      if (text.length === 0)
        throw new ContactError('invalid_argument', 'unable to send the text; it is empty')
      if (lang !== undefined && lang !== null)
        requireText('send the text', lang, { name: 'lang', bytes: LIMITS.lang })
      return { type: 'text', body: { text, ...(lang && { lang }) } }
    })
  }

  sendLink(url: string, desc?: string, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the link', callback, () => {
      requireText('send the link', url, { name: 'url' })
      if (url.length > LIMITS.url)
        throw new ContactError(
          'too_large',
          `unable to send the link; url is longer than ${LIMITS.url} characters`,
        )
      if (!isWebUrl(url))
        throw new ContactError(
          'invalid_argument',
          'unable to send the link; url must be http or https, without credentials',
        )
      if (desc !== undefined && desc !== null)
        requireText('send the link', desc, { name: 'desc', bytes: LIMITS.desc })
      return { type: 'link', body: { url, ...(desc && { desc }) } }
    })
  }

  sendAction(code: string, args: JsonValue = null, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the action', callback, () => {
      requireText('send the action', code, { name: 'code' })
      if (!isName(code))
        throw new ContactError(
          'invalid_argument',
          'unable to send the action; code must be 1 to 128 letters, digits or ._:-',
        )
      return { type: 'action', body: { code, args: argumentsOf(args) } }
    })
  }

  sendIsWriting(): void {
    const { clock } = this.#core.options
    if (!this.#core.membership.isInside() || clock.now() - this.#typedAt < TYPING_PAUSE_MS) return
    try {
      this.#core.relay.send('iswriting', {})
    } catch {
      return
    }
    this.#typedAt = clock.now()
    this.#core.delivery.emit('localiswriting', {})
  }

  getDataChannel(id: string, type?: string): Promise<DataChannel> {
    return runOperation('open the channel', () => this.#core.channels.get(id, type))
  }

  sendData(
    channel: string,
    data: ChannelData,
    ...options: readonly [topic?: string, type?: string]
  ): Promise<void> {
    const [topic, type] = options
    return runOperation('send the data', () => {
      const own = fromArguments('send the data', () => copyOf(data))
      return this.#core.channels.send(channel, own, { topic, type })
    })
  }

  attach(...[file, desc, referenceId, how]: Parameters<Contact['attach']>): Promise<Attached> {
    return attach(this.#host, { file, desc, referenceId }, how)
  }

  attachmentUrl(id: string): Promise<string> {
    return attachmentUrl(this.#host, id)
  }

  request(
    ...[type, data, timeout, retries, callback]: Parameters<Contact['request']>
  ): Promise<JsonValue | undefined> {
    return callbackify<JsonValue | undefined, unknown>(
      atOnce(() =>
        this.#core.calls.request({
          type,
          data: fromArguments('make the request', () => copyOf(data)),
          timeout,
          retries,
        }),
      ),
      callback,
    )
  }

  readTranscript(options?: TranscriptOptions): Promise<TranscriptPage> {
    return runOperation('read the transcript', async () => {
      const own = fromArguments('read the transcript', () => copyOf(options))
      const host = this.#host
      return (await loaded('read the transcript', later.transcript(), host)).readTranscript(host, own)
    })
  }

  async *transcript(): AsyncGenerator<TranscriptMessage, void, undefined> {
    const host = this.#host
    const { transcriptOf } = await loaded('read the transcript', later.transcript(), host)
    yield* transcriptOf(host)
  }

  data(): ContactData {
    return copyOf(this.#record())
  }

  #record(): ContactData {
    const { record, log, machine: media } = this.#core
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

  dataCollectionDefaultConstantToObject(def: DataDefinition): DataCollection {
    return dataCollectionDefaultConstantToObject(def)
  }

  editData(
    form: string,
    field: string,
    ...[value, callback]: readonly [value: JsonValue, callback?: GenericCallback]
  ): Promise<void> {
    return runOperation('edit the field', () => editData(this.#host, { form, field, value }), callback)
  }

  /** Whether this page takes part in the contact and is connected. */
  isConnected(): boolean {
    return this.#core.membership.isInside() && this.#core.options.link.state === 'online'
  }

  /**
   * For the compatibility entry. `hear` is told of each entry in the turn of its events, with the address of
   * the service, and says whether a handler had it.
   */
  follow(hear: (read: ReadEntry, service: string) => boolean): void {
    this.#core.follow((read) => hear(read, this.#core.options.service))
  }

  /** Gives this page's part back; the contact goes on and can be resumed. */
  drop(): void {
    this.#core.membership.drop()
  }

  /** This party has it no more: that is all that a page hears which has not entered it. */
  endOutside(): void {
    if (this.#core.membership.isOutside()) this.#core.membership.end()
  }

  /** As what is sent, read and edited now and then takes it. */
  get #host(): AttachHost & EditHost {
    const core = this.#core
    const { membership, capabilities, over } = core
    return {
      ...{ ...core.options, membership, capabilities, over },
      get id() {
        return core.id
      },
      get session() {
        return core.session
      },
    }
  }

  async #join(force: boolean): Promise<void> {
    const { membership } = this.#core
    membership.requireOpen('join the contact')
    if (this.secure)
      throw new ContactError('no_crypto', 'unable to join the contact; encryption is not available')
    if (membership.actor.getSnapshot().context.life === 'queued' && !force)
      throw new ContactError('not_assigned', 'unable to join the contact; it is not assigned')
    await membership.enter().catch((thrown: unknown) => {
      // `forbidden` says something of the right to join, or of the `present`: both may be given later.
      if (isContactClosed(thrown) && thrown.code !== 'forbidden') this.drop()
      throw thrown
    })
  }

  async #takeOver(): Promise<void> {
    this.#core.membership.requireInside('take the contact over')
    await this.#core.takeOver()
  }

  async #leave(reason: string | undefined): Promise<void> {
    if (reason !== undefined && reason !== null)
      requireText('leave the contact', reason, { name: 'reason', bytes: LIMITS.desc })
    await this.#core.membership.leave(reason)
  }

  #send(
    operation: string,
    callback: SendMessageCallback | undefined,
    letter: () => Omit<UnsentEntry, 'id'>,
  ): Promise<string> {
    const id = randomName()
    const send = async (): Promise<string> => {
      const { membership, outbox } = this.#core
      const entry = { ...letter(), id } as UnsentEntry
      membership.requirePart(operation)
      await outbox.add(entry)
      return id
    }
    return runOperation(operation, send, callback)
  }

  #peer(): ContactEvents['iswriting'] {
    const { record } = this.#core
    const { role } = this.#core.options
    const { agent } = this.#core.log.state
    if (role === 'visitor')
      return { from_id: agent?.user ?? '', ...(agent && { from_nick: agent.nick }), agent: true }
    return {
      from_id: record.visitor.id,
      ...(record.visitor.nick !== undefined && { from_nick: record.visitor.nick }),
      agent: false,
    }
  }
}

/**
 * Arguments of an action as they are sent: a list, of one where they are none.
 * @throws {@link ContactError} `invalid_argument`, `too_large`
 */
function argumentsOf(args: JsonValue): JsonValue[] {
  const given = args === null ? [] : Array.isArray(args) ? args : [args]
  const list = asJson('send the action', given)
  const fault = given.some((arg) => ['function', 'symbol', 'undefined'].includes(typeof arg))
    ? 'it has a value that is not JSON'
    : shapeFault(list, ENVELOPE_DEPTH)
  if (fault !== null)
    throw new ContactError(
      'invalid_argument',
      `unable to send the action; in args, ${fault.replace(/^it /, 'something ')}`,
    )
  if (argsBytes(list) > LIMITS.actionArgsBytes)
    throw new ContactError(
      'too_large',
      `unable to send the action; args are larger than ${LIMITS.actionArgsBytes} bytes`,
    )
  return list
}
