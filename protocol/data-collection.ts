/** How a form field is changed, and what the agent may see of a collection. */
import type { ContactData, DataCollection, DataField, FieldType } from './contact-data.ts'
import { ContactError } from './errors.ts'
import { fieldFault } from './field-rules.ts'
import { jsonBytes } from './json.ts'
import type { JsonValue } from './json.ts'
import { LIMITS } from './limits.ts'
import type { ServiceBodies } from './entries/list.ts'

/** The value of a field, whatever its type; null where it is empty. */
const valueOf = (field: DataField): JsonValue =>
  field.type === 'checkbox' ? (field.checked ?? false) : (field.value ?? null)

/** A field of a collection, the first of its name in the first form of its name. */
const findField = (data: DataCollection, form: string, field: string): DataField | undefined =>
  data.find(({ name }) => name === form)?.data.find(({ name }) => name === field)

/** The collection after an agent's edit. The value from before the first edit stays with the field. */
export function withEdit(
  data: DataCollection,
  { form, field, value, original, user }: ServiceBodies['datachange'],
): DataCollection {
  const target = findField(data, form, field)
  const edited = (one: DataField): DataField =>
    one === target
      ? {
          ...one,
          ...(typeof value === 'boolean' && one.type === 'checkbox' ? { checked: value } : { value }),
          original,
          editedBy: user,
        }
      : one
  return data.map((each) => ({ ...each, data: each.data.map(edited) }))
}

/** What of a collection leaves the service towards the agent. */
export const visibleToAgent = (data: DataCollection): DataCollection =>
  data.map((form) => ({ ...form, data: form.data.filter((field) => field.visible !== false) }))

/** The text of the first filled field of a type. */
export const firstOf = (data: DataCollection, type: FieldType): string | undefined =>
  data
    .flatMap((form) => form.data)
    .flatMap((field) =>
      field.type === type && typeof field.value === 'string' && field.value !== '' ? [field.value] : [],
    )
    .at(0)

/** The visitor's nick as the fields have it that the agent may see. */
export const nickIn = (data: DataCollection): string | undefined =>
  firstOf(visibleToAgent(data), 'nickname')?.slice(0, LIMITS.nick)

/** The visitor's e-mail, likewise. */
export const emailIn = (data: DataCollection): string | undefined => firstOf(visibleToAgent(data), 'email')

/**
 * The record after an agent's edit: the visitor's e-mail and, where no other was given, nick are those of the
 * fields.
 */
export function editedRecord(record: ContactData, edit: ServiceBodies['datachange']): ContactData {
  const data = withEdit(record.data, edit)
  const { nick: held, email: _before, ...visitor } = record.visitor
  const nick = held === nickIn(record.data) ? nickIn(data) : held
  const email = emailIn(data)
  return {
    ...record,
    data,
    visitor: { ...visitor, ...(nick !== undefined && { nick }), ...(email !== undefined && { email }) },
  }
}

/**
 * An agent's edit as it is noted; null where it changes nothing. What the agent may not see is answered like
 * what is not there. However many edits there are, the collection stays as large as one frame may be: all of
 * it is read and sent in one piece.
 *
 * @throws {@link ContactError} `not_found`, `forbidden`, `invalid_argument`, `too_large`
 */
export function judgeEdit(
  data: DataCollection,
  { form, field, value, user }: Omit<ServiceBodies['datachange'], 'original'>,
): ServiceBodies['datachange'] | null {
  const found = findField(data, form, field)
  if (!found || found.visible === false)
    throw new ContactError('not_found', 'unable to edit the field; there is no such field')
  if (found.editable !== true)
    throw new ContactError('forbidden', 'unable to edit the field; it is not editable')
  const fault = fieldFault(found.type, value)
  if (fault !== null)
    throw new ContactError('invalid_argument', `unable to edit the field; value must be ${fault}`)
  const before = valueOf(found)
  if (JSON.stringify(before) === JSON.stringify(value)) return null
  const original = found.editedBy === undefined ? before : (found.original ?? null)
  const edit = { form, field, value, user, original }
  const bytes = jsonBytes(withEdit(data, edit))
  if (bytes > LIMITS.frameBytes && bytes > jsonBytes(data))
    throw new ContactError(
      'too_large',
      `unable to edit the field; all forms together may have ${LIMITS.frameBytes} bytes`,
    )
  return edit
}

/** A form as the database defines it. */
export interface DataDefinition {
  readonly id: string
  readonly desc?: string
  readonly fields: readonly DataDefinitionField[]
}

/** A field of a {@link DataDefinition}. */
export interface DataDefinitionField {
  readonly id: string
  readonly desc?: string
  readonly type: FieldType
  /** Where the value comes from by itself; only `constant` is looked at here. */
  readonly autofill?: { readonly from: string; readonly value?: JsonValue }
}

/**
 * The values of the fields that are filled from a constant, as a collection of one form: visible to the agent
 * and not editable. All other fields are left out; where none is filled from a constant, the collection is
 * empty.
 *
 * @throws {@link ContactError} `invalid_argument` — not a definition.
 * @example
 * ```ts
 * const data = dataCollectionDefaultConstantToObject(definition)
 * await client.createContact({ data })
 * ```
 */
export function dataCollectionDefaultConstantToObject(def: DataDefinition): DataCollection {
  try {
    return constantsOf(def)
  } catch (cause) {
    throw new ContactError(
      'invalid_argument',
      'unable to read the definition; it must have an id and fields',
      { cause },
    )
  }
}

function constantsOf({ id, desc, fields }: DataDefinition): DataCollection {
  if (typeof id !== 'string') throw new TypeError('id must be a string')
  const data = [...fields].flatMap(({ id: name, desc: label, type, autofill }): DataField[] => {
    if (autofill?.from !== 'constant') return []
    const filled =
      type === 'checkbox' ? { checked: autofill.value === true } : { value: autofill.value ?? null }
    return [{ name, ...described(label), type, ...filled, visible: true, editable: false }]
  })
  return data.length === 0 ? [] : [{ name: id, ...described(desc), data }]
}

const described = (desc: string | undefined): { readonly desc?: string } =>
  desc === undefined ? {} : { desc }
