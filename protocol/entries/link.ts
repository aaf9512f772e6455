import * as v from '../checks.ts'
import { LIMITS, isWebUrl, isWebUrlText } from '../limits.ts'
import { ciphertext } from '../sealed-body.ts'
import { shown } from '../value-schema.ts'
import type { EntryDefinition, PartyEvents } from './definition.ts'
import { senderOf, stampOf } from './stamp.ts'
import type { Sender, Stamp } from './stamp.ts'

/** Events of a link. */
export interface LinkEvents {
  /** A link arrived. */
  link: { readonly url: string; readonly desc?: string } & Stamp & Sender
  /** A link of this party was accepted by the service. */
  locallink: { readonly url: string; readonly desc?: string } & Stamp
}

/** Only `http:` and `https:` URLs without credentials. */
const bodyOf = (isUrl: (text: string) => boolean) =>
  v.object({
    url: v.pipe(v.string(), v.maxLength(LIMITS.url), v.check(isUrl)),
    desc: v.exactOptional(shown(LIMITS.desc)),
  })
const body = bodyOf(isWebUrl)

const events: PartyEvents<typeof body, LinkEvents> = {
  link: (entry) => ({ ...entry.body, ...stampOf(entry), ...senderOf(entry) }),
  locallink: (entry) => ({ ...entry.body, ...stampOf(entry) }),
}

/** A link. */
export const link = {
  body,
  read: bodyOf(isWebUrlText),
  events,
  isSealed: true,
  encrypts: { url: ciphertext(8292), desc: v.exactOptional(ciphertext(2148)) }, // §2
  persists: true,
  followsTransfer: true,
  isMessage: true,
} as const satisfies EntryDefinition
