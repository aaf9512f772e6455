import type { CallHost } from './call-host.ts'
import { shownBody } from './file-controller.ts'
import type { FileController } from './file-controller.ts'
import {
  accepted,
  acknowledged,
  discarded,
  echoed,
  failed,
  ownMessage,
  retried,
  seen,
} from './own-messages.ts'
import { codeOf } from './problems.ts'
import { recalled } from './recalled.ts'
import type { Contact, ContactEvents } from './sdk.ts'
import { shownAction } from './shown-action.ts'
import { after } from './timers.ts'
import { lastKey, noticed, remembered, remoteMessage } from './transcript.ts'
import type { Body, Transcript } from './transcript.ts'
import type { Asking } from './until-decided.ts'

const TYPING_LASTS_MS = 10_000

export interface MessageControllerOptions {
  readonly files: FileController
  readonly now: () => number
  readonly closed: AbortSignal
}

/**
 * The messages of one contact: sends texts, shows how far they have come, and shows what the remote writes.
 */
export class MessageController {
  readonly #contact: Contact
  readonly #host: CallHost
  readonly #options: MessageControllerOptions
  #stopTyping = (): void => {}

  constructor(contact: Contact, host: CallHost, options: MessageControllerOptions) {
    this.#contact = contact
    this.#host = host
    this.#options = options
  }

  /** `asking`: how long is tried to read what was said before. */
  listen(asking: () => Asking): void {
    const contact = this.#contact
    const { files, closed: signal } = this.#options
    contact.on('text', (event) => this.#heard({ type: 'text', text: event.text }, event), { signal })
    contact.on('link', (event) => this.#heard(linkBody(event), event), { signal })
    contact.on('notice', (event) => this.#heard({ type: 'text', text: event.text }, event, true), { signal })
    contact.on(
      'action',
      (event) => {
        const body = shownAction(event.action_code, event.args)
        if (body) this.#heard(body, event)
      },
      { signal },
    )
    contact.on('localtext', (event) => this.#echo({ type: 'text', text: event.text }, event), { signal })
    contact.on('locallink', (event) => this.#echo(linkBody(event), event), { signal })
    contact.on(
      'attachment',
      (event) => {
        if (event.meta.kind === 'history') this.#shared(event, asking)
        else if (event.agent === (contact.role === 'agent')) files.echo(event)
        else this.#heard(shownBody(event.meta), event)
      },
      { signal },
    )
    contact.on('ack', ({ ref }) => this.#change((transcript) => acknowledged(transcript, ref)), { signal })
    contact.on('read', ({ ref }) => this.#change((transcript) => seen(transcript, ref)), { signal })
    contact.on('iswriting', () => this.#showTyping(), { signal })
  }

  /** What was said before a transfer is told to the next agent, who reads it in the transcript: it is no file. */
  #shared({ ts: at }: ContactEvents['attachment'], asking: () => Asking): void {
    const isAgent = this.#contact.role === 'agent'
    const notice = isAgent ? 'noticeHistory' : 'noticeHistoryShared'
    this.#change((transcript) => noticed(transcript, { notice, at }))
    if (isAgent) void this.recall(asking())
  }

  /** Sends a message; it shows at once, and how far it has come. */
  send(text: string): void {
    this.#change((transcript) => ownMessage(transcript, { type: 'text', text }, this.#options.now()))
    this.#deliver(lastKey(this.#host.state().transcript), text)
  }

  retry(key: string): void {
    const item = this.#host.state().transcript.items.find((one) => one.key === key)
    if (item?.kind !== 'own' || item.delivery !== 'failed') return
    if (item.body.type === 'file') return void this.#options.files.retry(key)
    if (item.body.type !== 'text') return
    this.#change((transcript) => retried(transcript, key))
    this.#deliver(key, item.body.text)
  }

  discard(key: string): void {
    this.#change((transcript) => discarded(transcript, key))
  }

  /** Shows what was said before, of which this tab has not kept everything. */
  async recall(asking: Asking): Promise<void> {
    const { items, missesStart } = await recalled(this.#contact, asking)
    const change = (transcript: Transcript): Transcript => remembered(transcript, items)
    this.#host.tell({ type: 'recalled', change, missesStart })
  }

  #deliver(key: string, text: string): void {
    this.#contact.sendText(text).then(
      (id) => this.#change((transcript) => accepted(transcript, key, id)),
      (error: unknown) => this.#change((transcript) => failed(transcript, key, codeOf(error))),
    )
  }

  #heard(
    body: Body,
    { id, ts: at, from_nick: nick }: Pick<ContactEvents['text'], 'id' | 'ts' | 'from_nick'>,
    isService = false,
  ): void {
    if (!isService) this.#stopTyping()
    const message = { body, id, at, ...(nick !== undefined && { nick }), ...(isService && { isService }) }
    this.#host.tell({
      type: 'heard',
      change: (transcript) => remoteMessage(transcript, message),
    })
  }

  #echo(body: Body, { id, ts: at }: Pick<ContactEvents['localtext'], 'id' | 'ts'>): void {
    this.#change((transcript) => echoed(transcript, body, { id, at }))
  }

  #showTyping(): void {
    this.#stopTyping()
    const end = (): void => this.#host.tell({ type: 'typing', on: false })
    this.#stopTyping = after(TYPING_LASTS_MS, end, this.#options.closed)
    this.#host.tell({ type: 'typing', on: true })
  }

  #change(change: (transcript: Transcript) => Transcript): void {
    this.#host.tell({ type: 'transcript', change })
  }
}

const linkBody = ({ url, desc }: Pick<ContactEvents['link'], 'url' | 'desc'>): Body => ({
  type: 'link',
  url,
  ...(desc !== undefined && { desc }),
})
