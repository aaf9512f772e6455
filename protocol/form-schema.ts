/** Schemas of forms: the fields that both sides read. What a field holds is in `field-rules.ts`. */
import * as v from './checks.ts'
import type { DataCollection } from './contact-data.ts'
import { jsonBytes } from './json.ts'
import { LIMITS } from './limits.ts'
import { givenJson, nameSchema, shown } from './value-schema.ts'

/** Name of a form, or of a field in it. */
export const fieldName = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.name))

/** Members of a field that the visitor gives. */
export const givenField = {
  name: fieldName,
  desc: v.exactOptional(shown(LIMITS.desc)),
  type: v.picklist(['checkbox', 'date', 'email', 'link', 'number', 'phone', 'text', 'nickname']),
  value: v.exactOptional(givenJson),
  checked: v.exactOptional(v.boolean()),
  visible: v.exactOptional(v.boolean()),
  editable: v.exactOptional(v.boolean()),
}

/** Members that an agent's edit adds to a field: never given by the visitor. */
const editedField = { original: v.exactOptional(givenJson), editedBy: v.exactOptional(nameSchema) }

const isKnown = (member: string): boolean =>
  Object.hasOwn(givenField, member) || Object.hasOwn(editedField, member)

/** Whether the members of a field that the protocol does not know are few and small enough to be stored. */
export function areMembersKept(given: Readonly<Record<string, unknown>>): boolean {
  const unknown = Object.entries(given).filter(([member]) => !isKnown(member))
  return unknown.length <= LIMITS.fieldMembers && jsonBytes(unknown) <= LIMITS.fieldMembersBytes
}

/** A field as it is read. */
export const field = v.objectWithRest(
  { ...givenField, ...editedField, type: v.fallback(givenField.type, 'text') },
  givenJson,
)
const storedField = v.pipe(
  field,
  v.check((given) => areMembersKept(given)),
)
const form = v.object({
  name: fieldName,
  desc: v.exactOptional(shown(LIMITS.desc)),
  data: v.pipe(v.array(storedField), v.maxLength(LIMITS.fields)),
})

/** The forms of a contact. */
export const collection = v.pipe(v.array(form), v.maxLength(LIMITS.forms)) satisfies v.GenericSchema<
  unknown,
  DataCollection
>
