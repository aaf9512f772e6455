import type { ContactEvents, MessageType } from '../../protocol/index.ts'

type Said<E extends MessageType> = ContactEvents[E] & {
  readonly type: E
  /** Contact in which it was said: another one for what was said before a transfer. */
  readonly contact: string
  /** When the service stored it, ISO 8601. */
  readonly time: string
}

/** A message of either party as the service keeps it: what its event tells, and which message it is. */
export type TranscriptMessage =
  | (Said<'text'> & { readonly lang?: string })
  | { [E in Exclude<MessageType, 'text'>]: Said<E> }[Exclude<MessageType, 'text'>]

/**
 * What happened beside the messages. `ack`: a party, the agent or the visitor, has received the message `ref`; `read`:
 * it has seen that message and what came before it; `joined`: an agent has joined, `ts` milliseconds since the epoch.
 */
export type TranscriptEvent =
  | { readonly type: 'ack' | 'read'; readonly ref: string; readonly agent: boolean }
  | { readonly type: 'joined'; readonly user: string; readonly nick: string; readonly ts: number }

/** A part of the transcript. */
export interface TranscriptPage {
  /** Newest first. */
  readonly messages: readonly TranscriptMessage[]
  /**
   * Newest first: of the log between the messages of this page, and after the newest of all. What is told of a message
   * is on its page or on one with newer messages.
   */
  readonly events: readonly TranscriptEvent[]
  /** Cursor of what was said before these; null where there is nothing more. */
  readonly before: string | null
  /** Of a secure contact: entries under keys that this page has not, so that they cannot be shown. */
  readonly unreadable?: number
}

/** Which part of the transcript is read. */
export interface TranscriptOptions {
  /** Cursor of an earlier page; without it, the newest messages. */
  readonly before?: string | null
  /** At most so many messages, 1 to 200; default 50. */
  readonly limit?: number
}

/** What was said in a contact. */
export interface TranscriptOperations {
  /**
   * A part of what was said, newest first, also before a transfer (but not in a secure contact, to its next
   * agent).
   *
   * @throws {@link ContactError} `invalid_argument` — no such cursor, or a limit that is none; `offline`;
   *   `not_found`, `not_assigned`, `rate_limited`; `timeout`; `left`.
   * @example
   * ```ts
   * const { messages, before } = await contact.readTranscript({ limit: 20 })
   * const earlier = before === null ? [] : (await contact.readTranscript({ before })).messages
   * ```
   */
  readTranscript(options?: TranscriptOptions): Promise<TranscriptPage>

  /**
   * All that was said, newest first, read as far as it is looked at. Its steps reject as `readTranscript`.
   *
   * @example
   * ```ts
   * for await (const message of contact.transcript()) if (message.type === 'text') console.log(message.text)
   * ```
   */
  transcript(): AsyncIterable<TranscriptMessage, void, undefined>
}
