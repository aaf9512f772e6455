import type { Conversation } from './conversation.ts'
import type { ConversationEvent } from './conversation-fold.ts'

/** Where the controllers of a contact read what is shown, and tell what has happened. */
export interface CallHost {
  state(): Conversation
  tell(event: ConversationEvent): void
  /** Milliseconds since the epoch. */
  now(): number
}
