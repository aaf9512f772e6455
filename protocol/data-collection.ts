/** What a form field may hold, and how it is changed. */
import type { DataCollection, DataField, FieldType } from './contact-data.ts'
import { ContactError } from './errors.ts'
import type { JsonValue } from './json.ts'
import { LIMITS, isWebUrl } from './limits.ts'
import type { ServiceBodies } from './log.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/
const PHONE = /^\+[1-9]\d{1,14}$/
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const MAILBOX = /^[^\s@"(),:;<>[\]\\]{1,64}$/

/** An ISO 8601 calendar date, with or without a time of day. */
function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (DATE.exec(text)?.slice(1) ?? []).map((part) => Number(part ?? 0))
  const date = new Date(Date.UTC(year, month - 1, day))
  return month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 61
}

/** An address as RFC 5321 4.1.2 has it, without quoted mailboxes and address literals. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1)
  return at > 0 && text.length <= 254 && MAILBOX.test(text.slice(0, at)) && domain.split('.').every((label) => LABEL.test(label))
}

interface Rule {
  readonly is: (value: unknown) => boolean
  readonly words: string
}

const text = (is: (value: string) => boolean, words: string): Rule => ({ is: (value) => typeof value === 'string' && is(value), words })

const RULES: Readonly<Record<FieldType, Rule>> = {
  checkbox: { is: (value) => typeof value === 'boolean', words: 'true or false' },
  number: { is: (value) => typeof value === 'number' && Number.isFinite(value), words: 'a number' },
  date: text(isDate, 'an ISO 8601 date'),
  email: text(isEmail, 'an e-mail address'),
  link: text((value) => value.length <= LIMITS.url && isWebUrl(value), 'an http or https address'),
  phone: text((value) => PHONE.test(value), 'an E.164 phone number'),
  text: text((value) => new TextEncoder().encode(value).length <= LIMITS.textBytes, `a text of at most ${LIMITS.textBytes} bytes`),
  nickname: text((value) => value.length <= LIMITS.nick, `a name of at most ${LIMITS.nick} characters`),
}

/** What a field of this type must hold, where `value` is something else; null where it fits. Every type but `checkbox` may be empty. */
export function fieldFault(type: FieldType, value: unknown): string | null {
  const empty = type !== 'checkbox' && (value === undefined || value === null || value === '')
  return empty || RULES[type].is(value) ? null : RULES[type].words
}

/** The value of a field, whatever its type; null where it is empty. */
const valueOf = (field: DataField): JsonValue => (field.type === 'checkbox' ? (field.checked ?? false) : (field.value ?? null))

/** A field of a collection, the first of its name in the first form of its name. */
const findField = (data: DataCollection, form: string, field: string): DataField | undefined => data.find(({ name }) => name === form)?.data.find(({ name }) => name === field)

/** The collection after an agent's edit. The value from before the first edit stays with the field. */
export function withEdit(data: DataCollection, { form, field, value, original, user }: ServiceBodies['datachange']): DataCollection {
  const target = findField(data, form, field)
  const edited = (one: DataField): DataField =>
    one === target ? { ...one, ...(typeof value === 'boolean' && one.type === 'checkbox' ? { checked: value } : { value }), original, editedBy: user } : one
  return data.map((each) => ({ ...each, data: each.data.map(edited) }))
}

/** What of a collection leaves the service towards the agent. */
export const visibleToAgent = (data: DataCollection): DataCollection => data.map((form) => ({ ...form, data: form.data.filter((field) => field.visible !== false) }))

/** The value of the first filled field of a type that the agent may see. */
export function firstOf(data: DataCollection, type: 'nickname' | 'email'): string | undefined {
  const found = visibleToAgent(data)
    .flatMap((form) => form.data)
    .find((field) => field.type === type && typeof field.value === 'string' && field.value !== '')
  return typeof found?.value === 'string' ? found.value : undefined
}

/**
 * An agent's edit as it is noted; null where it changes nothing. What the agent may not see is answered like what is not there.
 *
 * @throws {@link ContactError} `not_found`, `forbidden`, `invalid_argument`
 */
export function judgeEdit(data: DataCollection, { form, field, value, user }: Omit<ServiceBodies['datachange'], 'original'>): ServiceBodies['datachange'] | null {
  const found = findField(data, form, field)
  if (!found || found.visible === false) throw new ContactError('not_found', 'unable to edit the field; there is no such field')
  if (found.editable !== true) throw new ContactError('forbidden', 'unable to edit the field; it is not editable')
  const fault = fieldFault(found.type, value)
  if (fault !== null) throw new ContactError('invalid_argument', `unable to edit the field; value must be ${fault}`)
  const before = valueOf(found)
  if (JSON.stringify(before) === JSON.stringify(value)) return null
  return { form, field, value, user, original: found.editedBy === undefined ? before : (found.original ?? null) }
}

/** A form as the database defines it. */
export interface DataDefinition {
  readonly id: string
  readonly desc: string
  readonly fields: readonly DataDefinitionField[]
}

/** A field of a {@link DataDefinition}. */
export interface DataDefinitionField {
  readonly id: string
  readonly desc: string
  readonly type: FieldType
  /** Where the value comes from by itself; only `constant` is looked at here. */
  readonly autofill?: { readonly from: string; readonly value?: JsonValue }
}

/**
 * The values of the fields that are filled from a constant, as a collection of one form: visible to the agent and not editable. All other fields
 * are left out; where none is filled from a constant, the collection is empty.
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
    throw new ContactError('invalid_argument', 'unable to read the definition; it must have an id and a list of fields', { cause })
  }
}

function constantsOf({ id, desc, fields }: DataDefinition): DataCollection {
  if (typeof id !== 'string') throw new TypeError('id must be a string')
  const data = [...fields].flatMap(({ id: name, desc: label, type, autofill }): DataField[] => {
    if (autofill?.from !== 'constant') return []
    const filled = type === 'checkbox' ? { checked: autofill.value === true } : { value: autofill.value ?? null }
    return [{ name, desc: label, type, ...filled, visible: true, editable: false }]
  })
  return data.length === 0 ? [] : [{ name: id, desc, data }]
}
