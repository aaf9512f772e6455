/** Which actions of applications the pages show as messages. */
import type { JsonValue } from 'duolog'
import { cardOf } from './cards.ts'
import { quickReplies } from './quick-replies.ts'
import type { Body } from './transcript.ts'

/** Null of an action that the pages do not know. */
export function shownAction(code: string, args: readonly JsonValue[]): Body | null {
  const shown = quickReplies(code, args) ?? cardOf(code, args)
  return shown && { type: 'text', ...shown }
}
