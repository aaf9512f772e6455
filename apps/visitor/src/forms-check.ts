/** Checks the forms that a page sets, `fields` and `data`: the service refuses all forms where one field is wrong. */
import type { DataCollection, DataField, DataForm } from 'duolog'
import { isRecord } from '../../ui/src/index.ts'
import type { WidgetField } from './widget-api.ts'

/** The part of a setting that can be used, and why the rest cannot. */
export interface Checked<T> {
  readonly value: T
  readonly faults: readonly string[]
}

/** Limits of the service (`protocol/limits.ts`). */
const [MAX_NAME, MAX_LABEL, MAX_FIELDS, MAX_FORMS] = [128, 512, 100, 50]
const QUESTIONS: readonly string[] = ['text', 'email', 'phone', 'number', 'date', 'checkbox']
const TYPES: readonly string[] = [...QUESTIONS, 'link', 'nickname']

export const isText = (given: unknown): given is string => typeof given === 'string'
const isMissing = (given: unknown): boolean => given === undefined

const nameFault = (name: unknown): string | null =>
  isText(name) && name !== '' && name.length <= MAX_NAME
    ? null
    : `name must be a text of 1 to ${MAX_NAME} characters`
const labelFault = (title: string, given: unknown): string | null =>
  isMissing(given) || (isText(given) && given.length <= MAX_LABEL)
    ? null
    : `${title} must be a text of at most ${MAX_LABEL} characters`
const typeFault = (type: unknown, types: readonly string[]): string | null =>
  isText(type) && types.includes(type) ? null : `type must be one of ${types.join(', ')}`
const flagFault = (title: string, given: unknown): string | null =>
  isMissing(given) || typeof given === 'boolean' ? null : `${title} must be true or false`

type FaultOf = (given: Readonly<Record<string, unknown>>) => string | null

/** The entries of a list that have no fault; `title` names what an entry is. */
function withoutFaults<T>(list: readonly unknown[], title: string, faultOf: FaultOf): Checked<readonly T[]> {
  const faults: string[] = []
  const value = list.filter((each, at): each is T => {
    const fault = isRecord(each) ? faultOf(each) : 'it must be an object'
    if (fault !== null) faults.push(`${title} ${at + 1} is left out: ${fault}`)
    return fault === null
  })
  return { value: faults.length > 0 ? value : (list as readonly T[]), faults }
}

/** Of a list that is too long, the rest is left out. */
function atMost<T>(
  { value, faults }: Checked<readonly T[]>,
  max: number,
  title: string,
): Checked<readonly T[]> {
  if (value.length <= max) return { value, faults }
  return { value: value.slice(0, max), faults: [...faults, `only ${max} ${title} are used`] }
}

/** Questions that can be asked; of two with the same name, the second is left out. */
export function checkedFields(list: readonly unknown[]): Checked<readonly WidgetField[]> {
  const names = new Set<unknown>()
  const checked = withoutFaults<WidgetField>(list, 'field', ({ name, label, type }) => {
    const fault = nameFault(name) ?? typeFault(type, QUESTIONS) ?? labelFault('label', label)
    if (fault !== null) return fault
    if (names.has(name)) return `there is another field of the name "${String(name)}"`
    names.add(name)
    return null
  })
  return atMost(checked, MAX_FIELDS, 'fields')
}

const dataFieldFault: FaultOf = ({ name, desc, type, checked, visible, editable }) =>
  nameFault(name) ??
  typeFault(type, TYPES) ??
  labelFault('desc', desc) ??
  flagFault('checked', checked) ??
  flagFault('visible', visible) ??
  flagFault('editable', editable)

/** Forms for the agent that can be sent; the service checks the values. */
export function checkedData(list: readonly unknown[]): Checked<DataCollection> {
  const forms = withoutFaults<DataForm>(
    list,
    'form',
    ({ name, desc, data }) =>
      nameFault(name) ?? labelFault('desc', desc) ?? (Array.isArray(data) ? null : 'data must be a list'),
  )
  const faults = [...forms.faults]
  const value = forms.value.map((form) => {
    const title = `in the form "${form.name}", field`
    const fields = atMost(withoutFaults<DataField>(form.data, title, dataFieldFault), MAX_FIELDS, 'fields')
    faults.push(...fields.faults)
    return fields.faults.length > 0 ? { ...form, data: fields.value } : form
  })
  const checked = atMost({ value, faults }, MAX_FORMS, 'forms')
  return checked.faults.length > 0 ? checked : { value: list as DataCollection, faults: [] }
}
