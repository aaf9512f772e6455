/** Schemas of what parties send: the service's side of the wire, so that no page has to load them. */
import * as v from './checks.ts'
import { isMediaType } from './attachment.ts'
import { tags, visit } from './contact-schema.ts'
import type { EntryDefinition } from './entries/definition.ts'
import { partyEntries } from './entries/list.ts'
import { fieldFault } from './field-rules.ts'
import { areMembersKept, fieldName, givenField } from './form-schema.ts'
import { LIMITS } from './limits.ts'
import { areMediaSmall, offerSchema } from './media-schema.ts'
import { frame } from './push-schema.ts'
import { isSealedForm, sealedForm } from './sealed-body.ts'
import { count, givenJson, nameSchema, seq, shown } from './value-schema.ts'

const id = nameSchema
const contact = id
const session = id
const nothing = v.object({})
const sought = v.pipe(shown(LIMITS.name), v.minLength(1))
const note = v.pipe(shown(LIMITS.note), v.minLength(1))

/** A body that says that it is sealed is never taken for a plain one. */
function writtenBody(definition: EntryDefinition): v.GenericSchema {
  const { body, isSealed } = definition
  if (!isSealed) return body
  const sealed = sealedForm(body, definition)
  return v.lazy((given) => (isSealedForm(given) ? sealed : body))
}
const draftOf = ([type, definition]: [string, EntryDefinition]) =>
  v.object({ id, session, counter: seq, type: v.literal(type), body: writtenBody(definition) })
/** A draft as a party sends it. */
export const draftSchema = v.variant('type', Object.entries(partyEntries).map(draftOf))

/** A form as the visitor gives it: what an edit adds to a field is the service's own. */
const givenFieldSchema = v.pipe(
  v.objectWithRest(givenField, givenJson),
  v.check((given) => areMembersKept(given)),
  v.transform(({ original: _original, editedBy: _editedBy, ...given }) => given),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { type, value, checked } = dataset.value
    const expected = fieldFault(type, type === 'checkbox' ? (checked ?? false) : value)
    if (expected !== null) addIssue({ expected })
  }),
)
const collection = v.pipe(
  v.array(
    v.object({
      name: fieldName,
      desc: v.exactOptional(shown(LIMITS.desc)),
      data: v.pipe(v.array(givenFieldSchema), v.maxLength(LIMITS.fields)),
    }),
  ),
  v.maxLength(LIMITS.forms),
)

const contactRequestSchema = v.object({
  nick: v.exactOptional(shown(LIMITS.nick)),
  lang: v.exactOptional(shown(LIMITS.lang)),
  tags: v.exactOptional(tags),
  data: v.exactOptional(collection),
  initialOffer: v.exactOptional(offerSchema),
  secure: v.exactOptional(v.boolean()),
  later: v.exactOptional(v.union([v.boolean(), v.literal('unattended')])),
  visit: v.exactOptional(visit),
})

/** Arguments of each call: checked by the service. */
export const callArgs = {
  'contact.create': v.object({ request: id, contact: contactRequestSchema }),
  'contact.open': v.object({
    contact,
    session,
    cursor: count,
    last: v.exactOptional(v.object({ seq, id })),
    opening: v.exactOptional(v.pipe(count, v.minValue(1))),
  }),
  'contact.list': v.object({ before: v.exactOptional(id) }),
  'contact.read': v.object({ contact }),
  'contact.leave': v.object({ contact, session, reason: v.exactOptional(shown(LIMITS.desc)) }),
  'contact.rate': v.object({
    contact,
    score: v.pipe(count, v.minValue(1), v.maxValue(5)),
    comment: v.exactOptional(note),
  }),
  'log.append': v.object({
    contact,
    session,
    drafts: v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(LIMITS.draftsInOneCall)),
  }),
  'log.read': v.object({ contact, after: count, limit: v.pipe(count, v.minValue(1), v.maxValue(1000)) }),
  'relay.send': v.object({ contact, session, to: session, frame }),
  'attachment.open': v.object({
    contact,
    session,
    request: id,
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.fileName)),
    mimetype: v.pipe(v.string(), v.check(isMediaType)),
    size: count,
    desc: v.exactOptional(shown(LIMITS.desc)),
    referenceId: v.exactOptional(shown(LIMITS.desc)),
  }),
  'attachment.url': v.object({ contact, id }),
  'link.renew': v.object({ token: v.pipe(v.string(), v.maxLength(LIMITS.token)) }),
  'ice.servers': nothing,
  'agent.presence': v.object({
    state: v.picklist(['ready', 'paused']),
    media: v.exactOptional(
      v.pipe(
        v.record(nameSchema, v.boolean()),
        v.check((media) => areMediaSmall(media)),
      ),
    ),
    capacity: v.exactOptional(v.pipe(count, v.minValue(1), v.maxValue(100))),
    tags: v.exactOptional(tags),
  }),
  'agent.accept': v.object({ contact, force: v.exactOptional(v.boolean()) }),
  'agent.decline': v.object({ contact }),
  'agent.transfer': v.pipe(
    v.object({
      contact,
      toAgent: v.exactOptional(id),
      toTags: v.exactOptional(tags),
      note: v.exactOptional(note),
    }),
    v.check(({ toAgent, toTags }) => (toAgent === undefined) !== (toTags === undefined)),
  ),
  'agent.edit': v.object({ contact, form: fieldName, field: fieldName, value: givenJson }),
  'agent.colleagues': nothing,
  'agent.note': v.object({ contact, text: note }),
  'agent.notes': v.object({ contact }),
  'agent.replies': nothing,
  'agent.search': v.object({
    text: v.exactOptional(sought),
    name: v.exactOptional(sought),
    from: v.exactOptional(count),
    to: v.exactOptional(count),
    before: v.exactOptional(id),
  }),
  'agent.overview': nothing,
  'agent.read': v.object({ contact, after: count }),
  'agent.contacts': v.object({ after: v.exactOptional(id) }),
}
