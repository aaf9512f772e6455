import type { AttachmentBody, AttachmentMeta } from '../attachment.ts'
import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { SLOTS, count, nameSchema, shown, slot } from '../value-schema.ts'
import type { EntryDefinition, ServiceEvents } from './definition.ts'
import { senderOf, stampOf } from './stamp.ts'
import type { Sender, Stamp } from './stamp.ts'

/** The event of a file. */
export interface AttachmentEvents {
  /**
   * A file was sent, by either party: `from_id` and `agent` tell by whom. `url` works for this party only and
   * for a few minutes; ask `attachmentUrl` for another one later.
   */
  attachment: { readonly url: string; readonly meta: AttachmentMeta } & Stamp & Sender
}

const body: v.GenericSchema<unknown, AttachmentBody> = v.object({
  id: nameSchema,
  slot,
  from: v.object({ id: nameSchema, nick: v.exactOptional(shown(LIMITS.nick)) }),
  originalName: v.string(),
  mimetype: shown(LIMITS.name),
  size: count,
  desc: v.exactOptional(shown(LIMITS.desc)),
  referenceId: v.exactOptional(shown(LIMITS.desc)),
  width: v.exactOptional(count),
  height: v.exactOptional(count),
  sha256: v.string(),
  url: v.exactOptional(v.string()),
})

const events: ServiceEvents<typeof body, AttachmentEvents> = {
  attachment(entry, { service }) {
    const { slot: by, from, url, ...meta } = entry.body
    const { referenceId } = meta
    return {
      url: new URL(url ?? '', service).href,
      meta: { ...meta, ...(referenceId !== undefined && { ref: referenceId }) },
      ...stampOf(entry),
      ...senderOf({ from, slot: by }),
    }
  },
}

/** A file of a party is stored as a whole. The entry's `id` is that of the file. */
export const attachment = {
  body,
  events,
  decisive: ['slot', SLOTS],
  isMessage: true,
} as const satisfies EntryDefinition
