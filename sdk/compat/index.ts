export { compat } from './compat.ts'
export type { CompatChannel, CompatContact, CompatEmitter } from './compat.ts'
export type { CompatChannelEvents, CompatEvents, CompatHandler } from './compat-events.ts'
