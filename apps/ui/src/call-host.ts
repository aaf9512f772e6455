import type { Conversation, ConversationEvent } from './conversation.ts'

/** Where the controllers of a contact read what is shown, and tell what has happened. */
export interface CallHost {
  state(): Conversation
  tell(event: ConversationEvent): void
}
