import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { ciphertext } from '../sealed-body.ts'
import { shown } from '../value-schema.ts'
import type { EntryDefinition, PartyEvents } from './definition.ts'
import { senderOf, stampOf } from './stamp.ts'
import type { Sender, Stamp } from './stamp.ts'

/** Events of a chat message. */
export interface TextEvents {
  /** A chat message arrived. */
  text: { readonly text: string } & Stamp & Sender
  /** A chat message of this party was accepted by the service. */
  localtext: { readonly text: string } & Stamp
}

const body = v.object({
  text: v.pipe(v.string(), v.minLength(1), v.maxBytes(LIMITS.textBytes)),
  lang: v.exactOptional(shown(LIMITS.lang)),
})

const events: PartyEvents<typeof body, TextEvents> = {
  text: (entry) => ({ text: entry.body.text, ...stampOf(entry), ...senderOf(entry) }),
  localtext: (entry) => ({ text: entry.body.text, ...stampOf(entry) }),
}

/** A chat message. */
export const text = {
  body,
  events,
  isSealed: true,
  encrypts: { text: ciphertext(11_020) }, // §2
  persists: true,
  followsTransfer: true,
  isMessage: true,
} as const satisfies EntryDefinition
