/** Schemas of everything that crosses the wire, with the limits of each field. Unknown keys are dropped. */
import * as v from './checks.ts'
import type { ContactData, DataCollection } from './contact-data.ts'
import { ERROR_CODES } from './errors.ts'
import { LIMITS, isWebUrl } from './limits.ts'
import { argsBytes, jsonBytes } from './json.ts'
import type { JsonValue } from './json.ts'
import type { AgentCard, EndReason, Entry, PartyBodies, ServiceBodies, PhoneEnd } from './log.ts'
import {
  answerSchema,
  capabilitiesSchema,
  mediaSchema,
  nameSchema,
  offerSchema,
  readOffer,
} from './media-schema.ts'

const id = nameSchema
export const shown = (limit: number) => v.pipe(v.string(), v.maxLength(limit))
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const seq = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
export const json = v.custom<JsonValue>((value) => value !== undefined)

/** Only `http:` and `https:` URLs without credentials. */
const webUrlSchema = v.pipe(v.string(), v.maxLength(LIMITS.url), v.check(isWebUrl))

const holds = v.record(nameSchema, nameSchema)

/** Bodies of what parties write. */
export const partyBodies = {
  present: v.object({ capabilities: capabilitiesSchema, media: holds, after: v.nullable(id) }),
  capabilities: v.object({ capabilities: capabilitiesSchema }),
  offer: v.object({
    offer: offerSchema,
    restore: v.boolean(),
    lifetime: v.exactOptional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(LIMITS.offerLifetime.least),
        v.maxValue(LIMITS.offerLifetime.most),
      ),
    ),
  }),
  direct: v.object({ target: mediaSchema, restore: v.boolean() }),
  answer: v.object({ ref: seq, answer: answerSchema }),
  reject: v.object({ ref: seq, reason: shown(LIMITS.desc) }),
  withdraw: v.object({ ref: seq, reason: v.picklist(['withdrawn', 'timeout']) }),
  ready: v.object({ ref: seq }),
  failed: v.object({ ref: seq, code: v.picklist(ERROR_CODES) }),
  text: v.object({
    text: v.pipe(v.string(), v.minLength(1), v.maxBytes(LIMITS.textBytes)),
    lang: v.exactOptional(shown(LIMITS.lang)),
  }),
  link: v.object({ url: webUrlSchema, desc: v.exactOptional(shown(LIMITS.desc)) }),
  action: v.object({
    code: nameSchema,
    args: v.pipe(
      v.array(json),
      v.check((args) => argsBytes(args) <= LIMITS.actionArgsBytes),
    ),
  }),
  ack: v.object({ ref: id }),
} satisfies { [T in keyof PartyBodies]: v.GenericSchema<unknown, PartyBodies[T]> }

/** As they are read: where a later minor version has more values, one of this version stands for them. */
const readBodies = {
  ...partyBodies,
  offer: v.object({ ...partyBodies.offer.entries, offer: readOffer }),
  withdraw: v.object({ ref: seq, reason: v.fallback(partyBodies.withdraw.entries.reason, 'withdrawn') }),
  failed: v.object({ ref: seq, code: v.fallback(partyBodies.failed.entries.code, 'internal') }),
} satisfies { [T in keyof PartyBodies]: v.GenericSchema<unknown, PartyBodies[T]> }

const END_REASONS: readonly EndReason[] = [
  'abandon',
  'cancel',
  'vvcu',
  'user',
  'timeout',
  'dissuasion',
  'disconnect',
]
const reason = v.exactOptional(v.picklist(END_REASONS))
/** Of a later minor version's reason nothing is known. */
function withoutLaterReason(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reason' in value) || typeof value.reason !== 'string')
    return value
  const { reason: given, ...others } = value
  return END_REASONS.some((known) => known === given) ? value : others
}
const reasoned = <S extends v.GenericSchema<unknown, { readonly reason?: EndReason }>>(schema: S) =>
  v.pipe(v.unknown(), v.transform(withoutLaterReason), schema)

const channels = v.object({ total: count, vvcu: v.exactOptional(count), user: v.exactOptional(count) })
const SLOTS = ['visitor', 'agent'] as const
const slot = v.picklist(SLOTS)
const PHONE_STATES = ['answered', 'ended'] as const
const avatar = v.object({
  base_url: v.pipe(v.string(), v.maxLength(LIMITS.url)),
  images: v.array(v.object({ size: v.string(), file: v.string() })),
})
const agentCard = v.object({
  user: id,
  nick: shown(LIMITS.nick),
  avatar: v.exactOptional(avatar),
}) satisfies v.GenericSchema<unknown, AgentCard>

const attachment = v.object({
  id,
  slot,
  from: v.object({ id, nick: v.exactOptional(shown(LIMITS.nick)) }),
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

/** Name of a form, or of a field in it. */
export const fieldName = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.name))

/** Bodies of what only the service writes. */
export const serviceBodies = {
  assigned: agentCard,
  joined: agentCard,
  left: reasoned(
    v.object({ session: id, slot, vvcu: v.exactOptional(id), user: v.exactOptional(id), reason, channels }),
  ),
  declined: v.object({ user: id, nick: shown(LIMITS.nick) }),
  transferred: v.object({
    toId: id,
    toAgent: v.exactOptional(id),
    toTags: v.exactOptional(v.array(shown(LIMITS.name))),
  }),
  cleared: reasoned(v.object({ reason })),
  datachange: v.object({ form: fieldName, field: fieldName, value: json, original: json, user: id }),
  /** A later service may know more reasons. */
  telephone: v.object({
    state: v.picklist(PHONE_STATES),
    reason: v.exactOptional(id as unknown as v.GenericSchema<PhoneEnd>),
  }),
  attachment,
} satisfies { [T in keyof ServiceBodies]: v.GenericSchema<unknown, ServiceBodies[T]> }

const entryHead = { seq, id, time: v.number() }
const author = v.object({ id, nick: v.exactOptional(shown(LIMITS.nick)) })

const partyEntryOf = (type: keyof PartyBodies) =>
  v.object({
    ...entryHead,
    type: v.literal(type),
    slot,
    session: id,
    counter: seq,
    from: author,
    body: readBodies[type],
  })
const serviceEntryOf = (type: keyof ServiceBodies) =>
  v.object({ ...entryHead, type: v.literal(type), slot: v.literal('service'), body: serviceBodies[type] })

export const partyTypes = Object.keys(partyBodies) as (keyof PartyBodies)[]
const serviceTypes = Object.keys(serviceBodies) as (keyof ServiceBodies)[]

const knownEntry = v.variant('type', [...partyTypes.map(partyEntryOf), ...serviceTypes.map(serviceEntryOf)])
/** With values that only a later minor version has: it takes its place in the log, and means nothing here. */
const laterEntry = v.pipe(
  v.object({ ...entryHead, type: nameSchema, slot: nameSchema, session: v.exactOptional(id) }),
  v.transform((entry) => ({ ...entry, type: `later.${entry.type}`, body: {} }) as unknown as Entry),
)
const WRITERS: readonly string[] = [...SLOTS, 'service']
const knownTypes: ReadonlySet<unknown> = new Set([...partyTypes, ...serviceTypes])
/** What an entry of a type stands or falls with. */
const DECISIVE: Readonly<Record<string, readonly [member: string, known: readonly string[]]>> = {
  left: ['slot', SLOTS],
  attachment: ['slot', SLOTS],
  telephone: ['state', PHONE_STATES],
}
const isNew = (value: unknown, known: readonly string[]): boolean =>
  typeof value === 'string' && !known.includes(value)

function isLater(entry: unknown): boolean {
  const { type, slot: writer, body } = Object(entry) as Readonly<Record<string, unknown>>
  if (typeof type !== 'string') return false
  const [member, known] = DECISIVE[type] ?? []
  const isDecided =
    member !== undefined &&
    known !== undefined &&
    isNew((Object(body) as Readonly<Record<string, unknown>>)[member], known)
  return isDecided || !knownTypes.has(type) || isNew(writer, WRITERS)
}

/** An entry as the service sends it. */
export const entrySchema = v.lazy((entry) => (isLater(entry) ? laterEntry : knownEntry))

/** What a visitor says of a field. */
export const givenField = {
  name: fieldName,
  desc: v.exactOptional(shown(LIMITS.desc)),
  type: v.picklist(['checkbox', 'date', 'email', 'link', 'number', 'phone', 'text', 'nickname']),
  value: v.exactOptional(json),
  checked: v.exactOptional(v.boolean()),
  visible: v.exactOptional(v.boolean()),
  editable: v.exactOptional(v.boolean()),
}
/** What an agent's edit adds to it: never the visitor's. */
const editedField = { original: v.exactOptional(json), editedBy: v.exactOptional(id) }
const isKnown = (member: string): boolean =>
  Object.hasOwn(givenField, member) || Object.hasOwn(editedField, member)

/** Whether the members of a field that the protocol does not know are few and small enough to be kept. */
export function areMembersKept(given: Readonly<Record<string, unknown>>): boolean {
  const unknown = Object.entries(given).filter(([member]) => !isKnown(member))
  return unknown.length <= LIMITS.fieldMembers && jsonBytes(unknown) <= LIMITS.fieldMembersBytes
}

export const field = v.objectWithRest(
  { ...givenField, ...editedField, type: v.fallback(givenField.type, 'text') },
  json,
)
const keptField = v.pipe(
  field,
  v.check((given) => areMembersKept(given)),
)
const form = v.object({
  name: fieldName,
  desc: v.exactOptional(shown(LIMITS.desc)),
  data: v.pipe(v.array(keptField), v.maxLength(LIMITS.fields)),
})
const collection = v.pipe(v.array(form), v.maxLength(LIMITS.forms)) satisfies v.GenericSchema<
  unknown,
  DataCollection
>
export const visit = v.object({
  page: v.exactOptional(v.object({ url: shown(LIMITS.url), title: shown(LIMITS.desc) })),
  referrer: v.exactOptional(shown(LIMITS.url)),
  userAgent: v.exactOptional(shown(LIMITS.desc)),
  lang: v.exactOptional(shown(LIMITS.lang)),
})
export const tags = v.pipe(v.array(shown(LIMITS.name)), v.maxLength(LIMITS.tags))

/** What is published as the schema of the record. */
export const contactRecord = v.object({
  id,
  /** One that only a later minor version has is not over: the log tells more. */
  state: v.fallback(v.picklist(['queued', 'assigned', 'joined', 'cleared']), 'assigned'),
  created: v.string(),
  visit,
  visitor: v.object({
    id,
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
  transcript: v.object({ messages: count, last: v.exactOptional(v.string()) }),
  transferredFrom: v.exactOptional(id),
  channels,
  files: v.exactOptional(v.object({ maxFileSize: count, types: v.array(v.string()) })),
  telephone: v.exactOptional(v.boolean()),
  reason,
})
/** The record as it is read. */
export const recordSchema = reasoned(contactRecord) satisfies v.GenericSchema<unknown, ContactData>

export const frame = v.object({ n: count, ack: count, kind: nameSchema, body: v.exactOptional(json) })
const contact = id
const session = id
export const nothing = v.object({})
const sessions = v.pipe(v.array(session), v.maxLength(LIMITS.connectedSessions))
const connected = v.object({ visitor: sessions, agent: sessions })

/** A code of a later minor version is a failure like any other. */
const errorSchema = v.object({
  code: v.fallback(v.picklist(ERROR_CODES), 'internal'),
  message: v.string(),
  retryAfterMs: v.exactOptional(count),
})

/** Result of each call: checked by the SDK. */
export const callResults = {
  'contact.create': v.object({ contact }),
  'contact.open': v.object({ head: count, counter: count, record: recordSchema, connected }),
  'contact.read': v.object({ record: recordSchema }),
  'contact.leave': v.object({ head: count }),
  'log.append': v.object({
    appended: v.array(v.union([v.object({ id, seq }), v.object({ id, error: errorSchema })])),
  }),
  'log.read': v.object({ entries: v.array(entrySchema), head: count }),
  'relay.send': nothing,
  'attachment.open': v.variant('state', [
    v.object({ id, state: v.literal('open'), path: v.string(), token: v.string(), expiresInMs: count }),
    v.object({ id, state: v.literal('stored'), seq, url: v.string() }),
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
  'agent.presence': nothing,
  'agent.accept': v.object({ record: recordSchema }),
  'agent.decline': nothing,
  'agent.transfer': v.object({ contact }),
  'agent.edit': nothing,
  'agent.contacts': v.object({ records: v.array(recordSchema), next: v.exactOptional(id) }),
}

/** Body of each push: checked by the SDK. */
export const pushBodies = {
  'log.entries': v.object({ contact, entries: v.array(entrySchema) }),
  'relay.frame': v.object({ contact, from: session, frame }),
  'contact.connected': v.object({ contact, connected }),
  'link.expiring': v.object({ expiresInMs: count }),
  'contact.queue': v.object({ contact, position: seq, expectedWaitMs: v.exactOptional(count) }),
  'agent.distribution': v.object({
    id,
    nick: v.exactOptional(v.string()),
    lang: v.exactOptional(v.string()),
    tags,
    initialOffer: v.exactOptional(readOffer),
    secure: v.boolean(),
    expiresInMs: count,
  }),
  'agent.withdrawn': v.object({
    id,
    reason: v.fallback(v.picklist(['taken', 'expired', 'cleared']), 'expired'),
  }),
  'agent.declined': v.object({ id, user: id, nick: v.string() }),
  'agent.paused': v.object({ reason: v.fallback(v.literal('expired'), 'expired') }),
}

/** Answer to a call, before its value is checked. */
export const replySchema = v.variant('ok', [
  v.object({ ok: v.literal(true), value: v.unknown() }),
  v.object({ ok: v.literal(false), error: errorSchema }),
])
