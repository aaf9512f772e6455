import * as v from '../checks.ts'
import { argsBytes } from '../json.ts'
import type { JsonValue } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { ciphertext } from '../sealed-body.ts'
import { isGivable } from '../shape.ts'
import { json, nameSchema } from '../value-schema.ts'
import type { EntryDefinition, PartyEvents } from './definition.ts'
import { senderOf, stampOf } from './stamp.ts'
import type { Sender, Stamp } from './stamp.ts'

/** The event of a custom message. */
export interface ActionEvents {
  /** A custom message arrived. */
  action: { readonly action_code: string; readonly args: JsonValue[] } & Stamp & Sender
}

const body = v.object({
  code: nameSchema,
  args: v.pipe(
    v.array(json),
    v.check((args) => isGivable(args) && argsBytes(args) <= LIMITS.actionArgsBytes),
  ),
})

const events: PartyEvents<typeof body, ActionEvents> = {
  action: (entry) => ({
    action_code: entry.body.code,
    args: [...entry.body.args],
    ...stampOf(entry),
    ...senderOf(entry),
  }),
}

/** A custom message. */
export const action = {
  body,
  events,
  isSealed: true,
  encrypts: { code: ciphertext(268), args: ciphertext(36_964) }, // §2
  persists: true,
  followsTransfer: true,
  isMessage: true,
} as const satisfies EntryDefinition
