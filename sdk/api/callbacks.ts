import type { ContactError, MediaState } from '../../protocol/index.ts'

/** Node-style callback: exactly one of the two is given. */
export type GenericCallback<T = void> = (error: ContactError | null, result?: T) => void

/** Called when the service has stored the message; `messageId` is what a later `ack` names in `ref`. */
export type SendMessageCallback = (error: ContactError | null, messageId?: string) => void

/** Called with the received answer. */
export type MediaOfferCallback = (error: unknown, answer?: MediaState) => void
