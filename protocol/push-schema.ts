/**
 * Schemas of what the service sends without being asked: the SDK checks them. `agent-schema.ts` has what only
 * agents get.
 */
import * as v from './checks.ts'
import { entrySchema } from './entry-schema.ts'
import { LIMITS } from './limits.ts'
import { count, json, nameSchema, seq } from './value-schema.ts'

const sessions = v.pipe(v.array(nameSchema), v.maxLength(LIMITS.connectedSessions))

/** The sessions of each party that have a connection. */
export const connected = v.object({ visitor: sessions, agent: sessions })

/** A frame of the ephemeral relay. */
export const frame = v.object({ n: count, ack: count, kind: nameSchema, body: v.exactOptional(json) })

/** Body of each push that a visitor gets. */
export const pushBodies = {
  'log.entries': v.object({ contact: nameSchema, entries: v.array(entrySchema) }),
  'relay.frame': v.object({ contact: nameSchema, from: nameSchema, frame }),
  'contact.connected': v.object({ contact: nameSchema, connected }),
  'link.expiring': v.object({ expiresInMs: count }),
  'link.coming': v.object({ bytes: count }),
  'link.arriving': v.object({}),
  'link.drain': v.object({}),
  'contact.queue': v.object({ contact: nameSchema, position: seq, expectedWaitMs: v.exactOptional(count) }),
}
