/**
 * Handlers with positional arguments.
 *
 * @module duolog/compat
 */
export { compat } from './compat.ts'
export type { CompatClient, CompatContactOptions } from './compat-client.ts'
export type { CompatContact, CompatMessage, CompatOperations, CompatRecord } from './compat-contact.ts'
export type { CompatChannelEvents } from './arguments.ts'
export type { CompatEvents, CompatHandler } from './compat-events.ts'
export type { CompatEngine, StreamKind, WordedMedia } from './media-words.ts'
export type { CompatChannel, CompatEmitter } from './positional.ts'
export type { RawMessage } from './raw-messages.ts'
