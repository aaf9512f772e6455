import * as v from '../checks.ts'
import { nameSchema } from '../value-schema.ts'
import type { EntryDefinition, PartyEvents } from './definition.ts'
import { senderOf } from './stamp.ts'
import type { Sender } from './stamp.ts'

/** The event of an acknowledgement. */
export interface AckEvents {
  /** The remote party received the message `ref`. */
  ack: { readonly ref: string } & Sender
}

/** `ref`: id of the message whose event reached a handler. */
const body = v.object({ ref: nameSchema })

const events: PartyEvents<typeof body, AckEvents> = {
  ack: (entry) => ({ ref: entry.body.ref, ...senderOf(entry) }),
}

/** The party received a message. */
export const ack = {
  body,
  events,
  isSealed: true,
  persists: true,
} as const satisfies EntryDefinition
