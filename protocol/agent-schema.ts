/** Schemas of what the service sends to agents, so that no visitor's page has to load them. */
import * as v from './checks.ts'
import { recordSchema, tags } from './contact-schema.ts'
import { colleague, deskResults } from './desk-schema.ts'
import { readOffer } from './media-schema.ts'
import { messageReader } from './parse-message.ts'
import { pushBodies } from './push-schema.ts'
import { callResults, nothing, underId } from './reply-schema.ts'
import { count, nameSchema } from './value-schema.ts'

/** A note of an agent about a contact. */
const contactNote = v.object({
  id: nameSchema,
  user: nameSchema,
  nick: v.string(),
  text: v.string(),
  time: v.string(),
})

/** Result of each call, with those that only agents make. */
export const agentResults = {
  ...callResults,
  'agent.presence': nothing,
  'agent.accept': v.object({ record: recordSchema }),
  'agent.decline': nothing,
  'agent.transfer': underId,
  'agent.edit': nothing,
  ...deskResults,
  'agent.colleagues': v.object({ colleagues: v.array(v.object(colleague)) }),
  'agent.note': v.object({ note: contactNote }),
  'agent.notes': v.object({ notes: v.array(contactNote) }),
  'agent.contacts': v.object({ records: v.array(recordSchema), next: v.exactOptional(nameSchema) }),
}

/** Body of each push, with those that only agents get. */
export const agentPushes = {
  ...pushBodies,
  'agent.distribution': v.object({
    id: nameSchema,
    nick: v.exactOptional(v.string()),
    lang: v.exactOptional(v.string()),
    tags,
    initialOffer: v.exactOptional(readOffer),
    secure: v.boolean(),
    later: v.exactOptional(v.boolean()),
    waitedMs: v.exactOptional(count),
    question: v.exactOptional(v.string()),
    handedBy: v.exactOptional(v.string()),
    note: v.exactOptional(v.string()),
    expiresInMs: count,
  }),
  'agent.withdrawn': v.object({
    id: nameSchema,
    reason: v.fallback(v.picklist(['taken', 'declined', 'expired', 'cleared']), 'expired'),
    own: v.exactOptional(v.boolean()),
  }),
  'agent.note': v.object({ contact: nameSchema, note: contactNote }),
  'agent.rated': v.object({
    contact: nameSchema,
    rating: v.object({ score: count, comment: v.exactOptional(v.string()) }),
  }),
  'agent.question': v.object({ id: nameSchema, text: v.string() }),
  'agent.declined': v.object({ id: nameSchema, user: nameSchema, nick: v.string() }),
  'agent.paused': v.object({ reason: v.fallback(v.literal('expired'), 'expired') }),
  'agent.presence': v.object({
    state: v.fallback(v.picklist(['ready', 'paused']), 'paused'),
    media: v.exactOptional(v.record(nameSchema, v.boolean())),
    capacity: v.exactOptional(count),
    tags: v.exactOptional(tags),
  }),
}

/** Reads what the service sends to either party. */
export const agentMessages = messageReader({ results: agentResults, pushes: agentPushes })

export const { parseReply, parsePush } = agentMessages
