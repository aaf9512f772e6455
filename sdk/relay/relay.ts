import type { SessionRelay } from './session-relay.ts'

/** The relay as the parts of a contact use it. */
export type Relay = Pick<
  SessionRelay,
  'bind' | 'close' | 'isBound' | 'on' | 'onPeer' | 'receive' | 'resume' | 'send' | 'trySend'
>
