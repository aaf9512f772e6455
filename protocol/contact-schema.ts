/** Schema of a contact's record. */
import { agentCard } from './agent-card.ts'
import { channelCounts } from './channel-counts.ts'
import * as v from './checks.ts'
import type { ContactData } from './contact-data.ts'
import { endReason, withEndReason } from './end-reason.ts'
import { collection } from './form-schema.ts'
import { LIMITS } from './limits.ts'
import { mediaSchema, readOffer } from './media-schema.ts'
import { count, nameSchema, shown } from './value-schema.ts'

/** What a contact says of the visit: the page, its referrer, the browser and the language. */
export const visit = v.object({
  page: v.exactOptional(v.object({ url: shown(LIMITS.url), title: shown(LIMITS.desc) })),
  referrer: v.exactOptional(shown(LIMITS.url)),
  userAgent: v.exactOptional(shown(LIMITS.desc)),
  lang: v.exactOptional(shown(LIMITS.lang)),
})

/** The tags of a contact or an agent. */
export const tags = v.pipe(v.array(shown(LIMITS.name)), v.maxLength(LIMITS.tags))

const LIVES = ['queued', 'assigned', 'joined', 'cleared'] as const

/** A state of a later minor version is taken as `assigned`: the log tells more. */
export const life = v.fallback(v.picklist(LIVES), 'assigned')
const recordState = v.fallback(v.picklist([...LIVES, 'transferred']), 'assigned')

/** The record of a contact as a party reads it. */
export const contactRecord = v.object({
  id: nameSchema,
  state: recordState,
  created: v.string(),
  visit,
  visitor: v.object({
    id: nameSchema,
    identified: v.exactOptional(v.boolean()),
    nick: v.exactOptional(v.string()),
    email: v.exactOptional(v.string()),
    lang: v.exactOptional(v.string()),
  }),
  agent: v.exactOptional(agentCard),
  tags,
  data: collection,
  initialOffer: v.exactOptional(readOffer),
  mediaState: v.pipe(
    mediaSchema,
    v.check((media) => Object.hasOwn(media, 'Sharing')),
    v.transform((media) => media as ContactData['mediaState']),
  ),
  secure: v.boolean(),
  later: v.exactOptional(v.boolean()),
  transcript: v.object({ messages: count, last: v.exactOptional(v.string()) }),
  transferredFrom: v.exactOptional(nameSchema),
  channels: channelCounts,
  files: v.exactOptional(v.object({ maxFileSize: count, types: v.array(v.string()) })),
  telephone: v.exactOptional(v.boolean()),
  reason: endReason,
})

/** The record as it is read. */
export const recordSchema = withEndReason(contactRecord) satisfies v.GenericSchema<unknown, ContactData>
