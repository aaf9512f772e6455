/** Schemas of what the service sends without being asked: the SDK checks them. */
import * as v from './checks.ts'
import { tags } from './contact-schema.ts'
import { entrySchema } from './entry-schema.ts'
import { LIMITS } from './limits.ts'
import { readOffer } from './media-schema.ts'
import { count, json, nameSchema, seq } from './value-schema.ts'

const sessions = v.pipe(v.array(nameSchema), v.maxLength(LIMITS.connectedSessions))

/** The sessions of each party that have a connection. */
export const connected = v.object({ visitor: sessions, agent: sessions })

/** A frame of the ephemeral relay. */
export const frame = v.object({ n: count, ack: count, kind: nameSchema, body: v.exactOptional(json) })

/** A note of an agent about a contact. */
export const contactNote = v.object({
  id: nameSchema,
  user: nameSchema,
  nick: v.string(),
  text: v.string(),
  time: v.string(),
})

/** Body of each push. */
export const pushBodies = {
  'log.entries': v.object({ contact: nameSchema, entries: v.array(entrySchema) }),
  'relay.frame': v.object({ contact: nameSchema, from: nameSchema, frame }),
  'contact.connected': v.object({ contact: nameSchema, connected }),
  'link.expiring': v.object({ expiresInMs: count }),
  'link.coming': v.object({ bytes: count }),
  'link.arriving': v.object({}),
  'link.drain': v.object({}),
  'contact.queue': v.object({ contact: nameSchema, position: seq, expectedWaitMs: v.exactOptional(count) }),
  'agent.distribution': v.object({
    id: nameSchema,
    nick: v.exactOptional(v.string()),
    lang: v.exactOptional(v.string()),
    tags,
    initialOffer: v.exactOptional(readOffer),
    secure: v.boolean(),
    waitedMs: v.exactOptional(count),
    question: v.exactOptional(v.string()),
    handedBy: v.exactOptional(v.string()),
    note: v.exactOptional(v.string()),
    expiresInMs: count,
  }),
  'agent.withdrawn': v.object({
    id: nameSchema,
    reason: v.fallback(v.picklist(['taken', 'declined', 'expired', 'cleared']), 'expired'),
  }),
  'agent.note': v.object({ contact: nameSchema, note: contactNote }),
  'agent.question': v.object({ id: nameSchema, text: v.string() }),
  'agent.declined': v.object({ id: nameSchema, user: nameSchema, nick: v.string() }),
  'agent.paused': v.object({ reason: v.fallback(v.literal('expired'), 'expired') }),
}
