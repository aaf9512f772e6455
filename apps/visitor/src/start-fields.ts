/** The questions that a site asks before the chat. */
import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { DataCollection, DataField } from 'duolog'
import { showHidden } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import type { WidgetField } from './widget-api.ts'

type Answer = string | boolean

/** Name of the form in which the agent finds the answers. */
const FORM = 'before-chat'
const INPUT_TYPES = { text: 'text', email: 'email', phone: 'tel', number: 'number', date: 'date' } as const
const AUTOCOMPLETE: Partial<Record<WidgetField['type'], string>> = { email: 'email', phone: 'tel' }

interface Input {
  readonly value: Answer | undefined
  /** What is wrong, in words. */
  readonly fault: string
  readonly words: Words
  readonly onValue: (value: Answer) => void
}

/** What a question is called: one that may stay empty says so. */
export const labelOf = ({ name, label = name, required = false }: WidgetField, words: Words): string =>
  required ? showHidden(label) : words.t('optionalLabel', { label })

/** One question with its control. */
export function fieldInput(field: WidgetField, { value, fault, words, onValue }: Input): TemplateResult {
  const { name, type, required = false } = field
  const id = `field-${name}`
  const label = labelOf(field, words)
  const changed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement)
      onValue(type === 'checkbox' ? currentTarget.checked : currentTarget.value)
  }
  if (type === 'checkbox')
    return html`<label class="check"
        ><input
          id=${id}
          type="checkbox"
          ?required=${required}
          aria-invalid=${String(fault !== '')}
          aria-describedby="${id}-error"
          .checked=${value === true}
          @change=${changed}
        /><span dir="auto">${label}</span></label
      >${error(id, fault)}`
  return html`<label for=${id} dir="auto">${label}</label>
    <input
      id=${id}
      type=${INPUT_TYPES[type]}
      autocomplete=${AUTOCOMPLETE[type] ?? 'off'}
      ?required=${required}
      aria-invalid=${String(fault !== '')}
      aria-describedby="${id}-error"
      .value=${typeof value === 'string' ? value : ''}
      @input=${changed}
    />
    ${error(id, fault)}`
}

const error = (id: string, fault: string): TemplateResult =>
  html`<p id="${id}-error" class="error" role="alert">${fault || nothing}</p>`

/** E.164, without what people put between the digits. */
const phoneOf = (text: string): string => text.replaceAll(/[\s()./-]/g, '').replace(/^00/, '+')
const [PHONE, EMAIL] = [/^\+[1-9]\d{1,14}$/, /^[^\s@"(),:;<>[\]\\]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+$/i]

/** Why the chat does not start with an answer; null where it does. */
export function faultOf(
  { type, required = false }: WidgetField,
  value: Answer | undefined,
): 'fieldMissing' | 'fieldUnchecked' | 'fieldPhone' | 'fieldEmail' | null {
  if (type === 'checkbox') return required && value !== true ? 'fieldUnchecked' : null
  const text = typeof value === 'string' ? value.trim() : ''
  if (text === '') return required ? 'fieldMissing' : null
  if (type === 'phone' && !PHONE.test(phoneOf(text))) return 'fieldPhone'
  return type === 'email' && !EMAIL.test(text) ? 'fieldEmail' : null
}

function answerOf({ name, label, type }: WidgetField, value: Answer | undefined): DataField {
  const field = { name, type, visible: true, editable: false, ...(label !== undefined && { desc: label }) }
  if (type === 'checkbox') return { ...field, checked: value === true }
  const text = typeof value === 'string' ? value.trim() : ''
  if (text === '') return { ...field, value: null }
  return { ...field, value: type === 'number' ? Number(text) : type === 'phone' ? phoneOf(text) : text }
}

/** The answers as the agent reads them; no form where nothing is asked. */
export const answersOf = (
  fields: readonly WidgetField[],
  answers: ReadonlyMap<string, Answer>,
): DataCollection =>
  fields.length === 0
    ? []
    : [{ name: FORM, data: fields.map((field) => answerOf(field, answers.get(field.name))) }]
