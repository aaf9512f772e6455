import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { DataCollection, ErrorCode } from 'duolog'
import { base, define, icons } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import { answersOf, fieldInput, isMissing } from './start-fields.ts'
import type { WidgetField } from './widget-api.ts'

interface Written {
  readonly nick: string
  readonly firstMessage: string
  /** Of the site's own questions: one form, or none. */
  readonly answers: DataCollection
}

/** What the visitor has written into the form. */
export class StartEvent extends Event implements Written {
  readonly nick: string
  readonly firstMessage: string
  readonly answers: DataCollection

  constructor({ nick, firstMessage, answers }: Written) {
    super('start')
    this.nick = nick
    this.firstMessage = firstMessage
    this.answers = answers
  }
}

const MAX_NICK = 64

export class StartForm extends LitElement {
  static override properties = {
    words: { attribute: false },
    greeting: {},
    fields: { attribute: false },
    hours: {},
    isClosed: { attribute: false },
    isIdentified: { attribute: false },
    failure: { attribute: false },
    starting: { type: Boolean },
    nick: {},
    firstMessage: {},
    nickMissing: { state: true },
    missing: { state: true },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        overflow-y: auto;
        padding: 20px;
      }
      h2 {
        font-size: 20px;
        line-height: 1.25;
      }
      form {
        display: grid;
        gap: 6px;
        margin-block-start: 16px;
      }
      .intro,
      .hint {
        color: var(--p-muted);
      }
      .intro {
        margin-block-start: 6px;
      }
      .hint {
        font-size: 13px;
      }
      label:not(:first-child) {
        margin-block-start: 10px;
      }
      textarea {
        resize: vertical;
        min-block-size: 84px;
      }
      button {
        margin-block-start: 14px;
      }
      .error {
        color: var(--p-danger);
        font-size: 14px;
      }
      .check {
        display: flex;
        align-items: center;
        gap: 10px;
        margin-block-start: 10px;
      }
      .closed {
        margin-block-start: 12px;
        padding: 10px 12px;
        border-radius: var(--p-radius);
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      .failure {
        margin-block-start: 14px;
        padding: 10px 12px;
      }
    `,
  ]

  declare words: Words | undefined
  /** In the place of the words above the form. */
  declare greeting: string
  declare fields: readonly WidgetField[]
  declare hours: string
  /** Outside of the hours: what is written now is answered later. */
  declare isClosed: boolean
  /** The site says who the visitor is: the form asks for no name, and leads to their earlier contacts. */
  declare isIdentified: boolean
  declare failure: ErrorCode | null
  declare starting: boolean
  declare nick: string
  declare firstMessage: string
  declare nickMissing: boolean
  /** Names of the fields that must be filled and are not. */
  declare missing: readonly string[]
  readonly #answers = new Map<string, string | boolean>()

  constructor() {
    super()
    this.greeting = ''
    this.fields = []
    this.hours = ''
    this.isClosed = false
    this.isIdentified = false
    this.missing = []
    this.failure = null
    this.starting = false
    this.nick = ''
    this.firstMessage = ''
    this.nickMissing = false
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`
      ${this.#intro(words)}
      <form novalidate @submit=${this.#submit} data-testid="start-form">
        ${this.isIdentified ? nothing : this.#nickField(words)}
        ${this.fields.map((field) => this.#field(field, words))}
        <label for="first">${words.t('firstMessageLabel')}</label>
        <textarea
          id="first"
          rows="3"
          data-testid="first-message"
          .value=${this.firstMessage}
          @input=${this.#typed}
        ></textarea>
        ${this.#submitButton(words)} ${this.isIdentified ? this.#earlierButton(words) : nothing}
      </form>
      <div role="alert">
        ${this.failure ? html`<p class="failure" data-testid="start-failure" data-code=${this.failure}>${words.error(this.failure)}</p>` : nothing}
      </div>
    `
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>(this.nick || this.isIdentified ? '#first' : '#nick')?.focus()
  }

  #nickField(words: Words): TemplateResult {
    return html`<label for="nick">${words.t('nickLabel')}</label>
      <input
        id="nick"
        type="text"
        autocomplete="given-name"
        maxlength=${MAX_NICK}
        data-testid="nick"
        aria-describedby="nick-hint nick-error"
        aria-invalid=${String(this.nickMissing)}
        .value=${this.nick}
        @input=${this.#typed}
      />
      <p id="nick-hint" class="hint">${words.t('nickHint')}</p>
      <p id="nick-error" class="error" role="alert">${this.nickMissing ? words.t('nickMissing') : ''}</p>`
  }

  #earlierButton(words: Words): TemplateResult {
    return html`<button
      class="plain"
      type="button"
      data-testid="earlier"
      @click=${() => this.dispatchEvent(new Event('earlier'))}
    >
      ${icons.clock}${words.t('earlierContacts')}
    </button>`
  }

  #submitButton(words: Words): TemplateResult {
    const { starting } = this
    return html`<button class="primary" type="submit" data-testid="start" aria-disabled=${String(starting)}>
      ${words.t(starting ? 'starting' : 'start')}
    </button>`
  }

  #intro(words: Words): TemplateResult {
    return html`<h2>${words.t('startTitle')}</h2>
      <p class="intro" dir="auto">${this.greeting || words.t('startText')}</p>
      ${
        this.isClosed
          ? html`<p class="closed" data-testid="closed">
              <strong>${words.t('closedTitle')}</strong> (<bdi>${this.hours}</bdi>). ${words.t('closedText')}
            </p>`
          : nothing
      }`
  }

  #field(field: WidgetField, words: Words): TemplateResult {
    const { name } = field
    return fieldInput(field, {
      value: this.#answers.get(name),
      missing: this.missing.includes(name) ? words.t('fieldMissing') : '',
      onValue: (value) => {
        this.#answers.set(name, value)
        this.missing = this.missing.filter((each) => each !== name || isMissing(field, value))
      },
    })
  }

  readonly #typed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement) this.nick = currentTarget.value
    if (currentTarget instanceof HTMLTextAreaElement) this.firstMessage = currentTarget.value
    if (this.nick.trim()) this.nickMissing = false
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    if (this.starting) return
    this.nickMissing = !this.isIdentified && this.nick.trim() === ''
    this.missing = this.fields
      .filter((field) => isMissing(field, this.#answers.get(field.name)))
      .map(({ name }) => name)
    const [missing] = this.missing
    if (this.nickMissing) return this.renderRoot.querySelector<HTMLElement>('#nick')?.focus()
    if (missing !== undefined)
      return this.renderRoot.querySelector<HTMLElement>(`#field-${CSS.escape(missing)}`)?.focus()
    const answers = answersOf(this.fields, this.#answers)
    this.dispatchEvent(
      new StartEvent({ nick: this.nick.trim(), firstMessage: this.firstMessage.trim(), answers }),
    )
  }
}

define('duolog-start-form', StartForm)
