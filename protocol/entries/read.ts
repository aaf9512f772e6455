import * as v from '../checks.ts'
import { nameSchema } from '../value-schema.ts'
import type { EntryDefinition, PartyEvents } from './definition.ts'
import { senderOf } from './stamp.ts'
import type { Sender } from './stamp.ts'

/** The event of a read receipt. */
export interface ReadEvents {
  /** Somebody at the remote party has seen the message `ref`, and what came before it. */
  read: { readonly ref: string } & Sender
}

/** `ref`: id of the last message that was in view. */
const body = v.object({ ref: nameSchema })

const events: PartyEvents<typeof body, ReadEvents> = {
  read: (entry) => ({ ref: entry.body.ref, ...senderOf(entry) }),
}

/** The party has seen what the other one wrote, up to a message. One that is lost is followed by the next. */
export const read = { body, events, isSealed: true } as const satisfies EntryDefinition
