/**
 * Quick replies: a message of the application, `contact.sendAction('duolog.replies', [{ text, replies }])`, that any
 * party may send. A page that does not know it has its `text` to show; the answer is a chat message.
 */
import type { JsonValue } from 'duolog'

export const QUICK_REPLIES = 'duolog.replies'

/** The argument of the action. */
export interface QuickReplies {
  readonly text: string
  /** What can be answered by one click: at most 10 texts, each of at most 80 characters. */
  readonly replies: readonly string[]
}

const MOST = 10
const LONGEST = 80

/** A short text that a button can have. */
export const isReply = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST

/** What an action asks; null where it is none of these, or says nothing. */
export function quickReplies(code: string, [asked]: readonly JsonValue[]): QuickReplies | null {
  if (code !== QUICK_REPLIES || typeof asked !== 'object' || asked === null || Array.isArray(asked))
    return null
  const { text, replies } = asked as { readonly text?: unknown; readonly replies?: unknown }
  if (typeof text !== 'string' || text.trim() === '') return null
  return { text, replies: Array.isArray(replies) ? replies.filter(isReply).slice(0, MOST) : [] }
}
