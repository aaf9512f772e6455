import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { ErrorCode, FieldType } from 'duolog'
import { base, codeOf, define, icons, linkTo, showHidden } from '../../ui/src/index.ts'
import type { MessageKey, Words } from '../../ui/src/index.ts'
import { fieldStyle } from './field-style.ts'
import { typedValue, valueOf, valueText } from './field-value.ts'
import type { Field } from './field-value.ts'

/** What the page asks of who can change a field. Rejects as `editData` of a contact. */
export type Edit = (value: ReturnType<typeof valueOf>) => Promise<void>

/** What a field of each type wants, where it was given something else. */
const WANTED: Readonly<Record<FieldType, MessageKey>> = {
  checkbox: 'wantedText',
  date: 'wantedDate',
  email: 'wantedEmail',
  link: 'wantedLink',
  number: 'wantedNumber',
  phone: 'wantedPhone',
  text: 'wantedText',
  nickname: 'wantedText',
}
const INPUT_MODES: Readonly<Partial<Record<FieldType, string>>> = {
  email: 'email',
  link: 'url',
  number: 'decimal',
  phone: 'tel',
}

/**
 * A field of the visitor's data: what it holds, what it held before, and, where the agent may change it, a
 * form for that.
 */
class FieldElement extends LitElement {
  static override properties = {
    field: { attribute: false },
    edit: { attribute: false },
    agent: {},
    words: { attribute: false },
    phase: { state: true },
    failure: { state: true },
  }
  static override styles = [base, fieldStyle]

  declare field: Field | undefined
  /** Missing where nothing may be changed (any more). */
  declare edit: Edit | undefined
  /** Who has changed it, in words. */
  declare agent: string
  declare words: Words | undefined
  declare phase: 'shown' | 'editing' | 'saving'
  declare failure: ErrorCode | null

  constructor() {
    super()
    this.agent = ''
    this.phase = 'shown'
    this.failure = null
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('edit') && !this.edit) this.phase = 'shown'
  }

  override render(): TemplateResult | typeof nothing {
    const { field, words } = this
    if (!field || !words) return nothing
    const name = showHidden(field.desc || field.name)
    return html`
      <div class="name" id="name" dir="auto">${name}</div>
      ${this.phase === 'shown' ? this.#shown(field, name, words) : this.#form(field, name, words)}
      ${
        field.editedBy === undefined
          ? nothing
          : html`<p class="before" dir="auto" data-testid="field-before">${this.#before(field, words)}</p>`
      }
    `
  }

  #shown(field: Field, name: string, words: Words): TemplateResult {
    const text = valueText(valueOf(field), words)
    const change = words.t('changeField', { name })
    return html`<div class="row">
      <div class="value" dir="auto" data-testid="field-value">
        <span>${field.type === 'link' ? linkTo(text) : showHidden(text)}</span>
      </div>
      ${
        field.editable && this.edit
          ? html`<button
              class="icon"
              data-testid="edit-field"
              aria-label=${change}
              title=${change}
              @click=${this.#open}
            >
              ${icons.pen}
            </button>`
          : nothing
      }
    </div>`
  }

  #form(field: Field, name: string, words: Words): TemplateResult {
    const isSaving = this.phase === 'saving'
    const failed = this.failure ? this.#failureText(this.failure, field, words) : nothing
    return html`<form novalidate @submit=${this.#submit} @keydown=${this.#key} data-testid="field-form">
      ${this.#input(field, words)}
      <p id="failure" class="failure" role="alert" data-testid="field-failure">${failed}</p>
      <div class="buttons">
        <button
          class="primary"
          data-testid="save-field"
          aria-disabled=${String(isSaving)}
          aria-label="${words.t('save')}: ${name}"
        >
          ${words.t(isSaving ? 'saving' : 'save')}
        </button>
        <button type="button" data-testid="cancel-field" @click=${() => void this.#close()}>
          ${words.t('cancel')}
        </button>
      </div>
    </form>`
  }

  #input(field: Field, words: Words): TemplateResult {
    const value = valueOf(field)
    const invalid = String(this.failure === 'invalid_argument')
    if (field.type === 'checkbox')
      return html`<label class="check"
        ><input
          type="checkbox"
          data-testid="field-input"
          aria-labelledby="name"
          .checked=${value === true}
        />${words.t('yes')}</label
      >`
    const text = value === null ? '' : valueText(value, words)
    if (field.type === 'text')
      return html`<textarea
        rows="2"
        dir="auto"
        data-testid="field-input"
        aria-labelledby="name"
        aria-describedby="failure"
        aria-invalid=${invalid}
        .value=${text}
      ></textarea>`
    return html`<input
      type="text"
      dir="auto"
      inputmode=${INPUT_MODES[field.type] ?? 'text'}
      placeholder=${PLACEHOLDERS[field.type] ?? ''}
      data-testid="field-input"
      aria-labelledby="name"
      aria-describedby="failure"
      aria-invalid=${invalid}
      .value=${text}
    />`
  }

  #before({ type, original, editedBy = '' }: Field, words: Words): string {
    const before = valueText(
      original === undefined || original === '' ? (type === 'checkbox' ? false : null) : original,
      words,
    )
    return words.t('changedBy', { nick: this.agent || editedBy, before })
  }

  #failureText(code: ErrorCode, { type }: Field, words: Words): string {
    if (code === 'invalid_argument') return words.t(WANTED[type])
    if (code === 'forbidden' || code === 'not_found') return words.t('fieldNotEditable')
    return words.error(code)
  }

  readonly #open = async (): Promise<void> => {
    this.failure = null
    this.phase = 'editing'
    await this.updateComplete
    const input = this.#control()
    input?.focus()
    if (input instanceof HTMLInputElement && input.type === 'text') input.select()
  }

  /** The focus goes back to where the form was opened. */
  async #close(): Promise<void> {
    this.phase = 'shown'
    await this.updateComplete
    this.renderRoot.querySelector<HTMLElement>('[data-testid=edit-field]')?.focus()
  }

  #control(): HTMLInputElement | HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('input, textarea')
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      void this.#close()
    }
    if (event.key === 'Enter' && !event.shiftKey && event.target instanceof HTMLTextAreaElement)
      void this.#submit(event)
  }

  readonly #submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const [input, { field, edit }] = [this.#control(), this]
    if (!input || !field || !edit || this.phase === 'saving') return
    const value =
      input instanceof HTMLInputElement && input.type === 'checkbox'
        ? input.checked
        : typedValue(field.type, input.value)
    this.failure = null
    this.phase = 'saving'
    try {
      await edit(value)
      await this.#close()
    } catch (error) {
      this.failure = codeOf(error)
      this.phase = 'editing'
      input.focus()
    }
  }
}

const PLACEHOLDERS: Readonly<Partial<Record<FieldType, string>>> = {
  date: '2026-01-31',
  phone: '+39…',
  link: 'https://…',
}

define('duolog-field', FieldElement)
