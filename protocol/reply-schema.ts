/** Schemas of the service's answers to calls: the SDK checks them. `agent-schema.ts` has those that only agents get. */
import * as v from './checks.ts'
import { connected } from './push-schema.ts'
import { life, recordSchema } from './contact-schema.ts'
import { entrySchema } from './entry-schema.ts'
import { ERROR_CODES } from './errors.ts'
import { count, nameSchema, seq } from './value-schema.ts'

export const underId = v.object({ contact: nameSchema })
export const nothing = v.object({})

/** A code of a later minor version is taken as `internal`. */
const errorSchema = v.object({
  code: v.fallback(v.picklist(ERROR_CODES), 'internal'),
  message: v.string(),
  retryAfterMs: v.exactOptional(count),
})

/** A state of a file that only a later minor version has. */
const laterState = v.pipe(
  v.string(),
  v.check((state) => state !== 'open' && state !== 'stored'),
  v.transform((): 'later' => 'later'),
)

/** Result of each call that a visitor makes. */
export const callResults = {
  'contact.create': underId,
  'contact.open': v.object({
    head: count,
    counter: count,
    record: recordSchema,
    connected,
    same: v.exactOptional(v.boolean()),
  }),
  'contact.list': v.object({
    contacts: v.array(
      v.object({
        id: nameSchema,
        state: life,
        created: v.string(),
        ended: v.exactOptional(v.string()),
        agent: v.exactOptional(v.string()),
        messages: count,
      }),
    ),
    next: v.exactOptional(nameSchema),
  }),
  'contact.read': v.object({ record: recordSchema }),
  'contact.leave': v.object({ head: count }),
  'contact.rate': nothing,
  'log.append': v.object({
    appended: v.array(
      v.union([v.object({ id: nameSchema, seq }), v.object({ id: nameSchema, error: errorSchema })]),
    ),
  }),
  'log.read': v.object({ entries: v.array(entrySchema), head: count }),
  'relay.send': nothing,
  'attachment.open': v.variant('state', [
    v.object({
      id: nameSchema,
      state: v.literal('open'),
      path: v.string(),
      token: v.string(),
      expiresInMs: count,
    }),
    v.object({ id: nameSchema, state: v.literal('stored'), seq, url: v.string() }),
    v.object({ id: nameSchema, state: laterState }),
  ]),
  'attachment.url': v.object({ url: v.string(), expiresInMs: count }),
  'link.renew': v.object({ expiresInMs: count }),
  'ice.servers': v.object({
    iceServers: v.array(
      v.object({
        urls: v.array(v.string()),
        username: v.exactOptional(v.string()),
        credential: v.exactOptional(v.string()),
      }),
    ),
    expiresInMs: count,
  }),
}

/** Answer to a call, before its value is checked. */
export const replySchema = v.variant('ok', [
  v.object({ ok: v.literal(true), value: v.unknown() }),
  v.object({ ok: v.literal(false), error: errorSchema }),
])
