import {
  ContactError,
  ENVELOPE_DEPTH,
  LIMITS,
  argsBytes,
  isName,
  isWebUrl,
  shapeFault,
} from '../../protocol/index.ts'
import type { Clock, JsonValue, Slot, UnsentEntry } from '../../protocol/index.ts'
import type { SendMessageCallback } from '../api/callbacks.ts'
import { runOperation } from '../async/run-operation.ts'
import type { Outbox } from '../log/outbox.ts'
import type { Relay } from '../relay/relay.ts'
import { asJson, requireText } from '../values/arguments.ts'
import { randomName } from '../values/random-id.ts'
import { writerOf } from './contact-record.ts'
import type { ContactSession } from './contact-session.ts'
import type { Delivery } from './event-queue.ts'
import type { Membership } from './membership.ts'

/** `localiswriting`, and what the other party hears of it, at most once in this time. */
const TYPING_PAUSE_MS = 3_000

export interface MessagesOptions {
  readonly role: Slot
  readonly clock: Clock
  readonly session: Pick<ContactSession, 'state'>
  readonly membership: Pick<Membership, 'isInside' | 'requirePart'>
  readonly outbox: Pick<Outbox, 'add'>
  readonly relay: Pick<Relay, 'on' | 'send'>
  readonly delivery: Pick<Delivery, 'emit'>
}

/** What this party writes: texts, links, actions, and that it is writing. */
export class Messages {
  readonly #options: MessagesOptions
  #typedAt = Number.NEGATIVE_INFINITY

  constructor(options: MessagesOptions) {
    const { role, relay, delivery, session } = options
    this.#options = options
    relay.on('iswriting', () => delivery.emit('iswriting', writerOf(role, session.state)))
  }

  sendText(text: string, lang: string | undefined, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the text', callback, () => textEntry(text, lang))
  }

  sendLink(url: string, desc: string | undefined, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the link', callback, () => linkEntry(url, desc))
  }

  sendAction(code: string, args: JsonValue, callback?: SendMessageCallback): Promise<string> {
    return this.#send('send the action', callback, () => actionEntry(code, args))
  }

  async sendRead(ref: string): Promise<void> {
    await this.#send('tell what was read', undefined, () => {
      if (!isName(ref))
        throw new ContactError('invalid_argument', 'unable to tell what was read; ref is no id')
      return { type: 'read', body: { ref } }
    })
  }

  sendIsWriting(): void {
    const { clock, membership, relay, delivery } = this.#options
    if (!membership.isInside() || clock.now() - this.#typedAt < TYPING_PAUSE_MS) return
    try {
      relay.send('iswriting', {})
    } catch {
      return
    }
    this.#typedAt = clock.now()
    delivery.emit('localiswriting', {})
  }

  #send(
    operation: string,
    callback: SendMessageCallback | undefined,
    entryOf: () => Omit<UnsentEntry, 'id'>,
  ): Promise<string> {
    let id = randomName()
    const send = async (): Promise<string> => {
      const { membership, outbox } = this.#options
      const entry = { ...entryOf(), id } as UnsentEntry
      membership.requirePart(operation)
      await outbox.add(entry, { onId: (fresh) => (id = fresh) })
      return id
    }
    return runOperation(operation, send, callback)
  }
}

/** What is written for a message, but for its id. */
type MessageEntry<T extends UnsentEntry['type']> = Omit<Extract<UnsentEntry, { readonly type: T }>, 'id'>

function textEntry(text: string, lang: string | undefined): MessageEntry<'text'> {
  requireText('send the text', text, { name: 'text', bytes: LIMITS.textBytes })
  if (text.length === 0) throw new ContactError('invalid_argument', 'unable to send the text; it is empty')
  if (lang !== undefined && lang !== null)
    requireText('send the text', lang, { name: 'lang', bytes: LIMITS.lang })
  return { type: 'text', body: { text, ...(lang && { lang }) } }
}

function linkEntry(url: string, desc: string | undefined): MessageEntry<'link'> {
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
}

function actionEntry(code: string, args: JsonValue): MessageEntry<'action'> {
  requireText('send the action', code, { name: 'code' })
  if (!isName(code))
    throw new ContactError(
      'invalid_argument',
      'unable to send the action; code must be 1 to 128 letters, digits or ._:-',
    )
  return { type: 'action', body: { code, args: argumentsOf(args) } }
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
