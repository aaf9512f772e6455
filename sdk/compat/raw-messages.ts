/** Messages as third-party clients keep them. */
import { copyOf } from '../../protocol/index.ts'
import type { ContactEvents, JsonValue, MessageType, Sender, Stamp } from '../../protocol/index.ts'
import type { Contact } from '../api/contact.ts'
import type { TranscriptMessage } from '../api/transcript.ts'

/**
 * A message of either side. Which members there are depends on its type. What the service wrote (`notice`) is told as
 * from the agents' side, by `service`.
 */
export interface RawMessage extends Stamp, Sender {
  readonly type: MessageType
  /** Of a `text` or `notice`: what it says. */
  readonly body?: string
  /** Of a `text` or `notice`. */
  readonly lang?: string
  /** Of a `link` and an `attachment`. */
  readonly url?: string
  /** Of a `link`. */
  readonly desc?: string
  /** Of an `attachment`. */
  readonly meta?: ContactEvents['attachment']['meta']
  /** Of an `action`. */
  readonly code?: string
  /** Of an `action`. */
  readonly args?: readonly JsonValue[]
}

/** Length of `contact.transcript`. */
const MOST = 1_000
/** Messages read at once. */
const PAGE = 200

/** A message as it is told. */
export function rawOf(message: TranscriptMessage): RawMessage {
  const { id, ts, type, agent = true, from_id = 'service', from_nick } = message
  const head = { id, ts, type, agent, from_id, ...(from_nick !== undefined && { from_nick }) }
  switch (message.type) {
    case 'text':
    case 'notice':
      return { ...head, body: message.text, ...(message.lang !== undefined && { lang: message.lang }) }
    case 'link':
      return { ...head, url: message.url, ...(message.desc !== undefined && { desc: message.desc }) }
    case 'action':
      return { ...head, code: message.action_code, args: message.args }
    case 'attachment':
      return { ...head, url: message.url, meta: message.meta }
  }
}

/**
 * The newest messages of a contact, oldest first: what was said before this page is read once, what is said
 * now is added.
 */
export class RawTranscript {
  #messages: RawMessage[] = []

  get messages(): RawMessage[] {
    return copyOf(this.#messages)
  }

  add(message: RawMessage): void {
    this.#put([...this.#messages, message])
  }

  /** Reads what was said before. Where that cannot be had, what is said now is all there is. */
  async read(contact: Contact): Promise<void> {
    const earlier: RawMessage[] = []
    try {
      const { transcript, transferredFrom } = contact.data()
      if (transcript.messages === 0 && transferredFrom === undefined) return
      for (let before: string | null | undefined; before !== null && earlier.length < MOST;) {
        const page = await contact.readTranscript({ limit: PAGE, ...(before !== undefined && { before }) })
        earlier.unshift(...page.messages.map(rawOf).toReversed())
        before = page.before
      }
    } catch {
      // The contact is over for this page, or the service is not there.
    }
    this.#put([...earlier, ...this.#messages])
  }

  #put(messages: readonly RawMessage[]): void {
    const known = new Map(messages.map((message) => [message.id, message]))
    this.#messages = [...known.values()].slice(-MOST)
  }
}
