import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { DataCollection, ErrorCode } from 'duolog'
import { base, define, icons } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import { answersOf, faultOf, fieldInput } from './start-fields.ts'
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
    isForLater: { attribute: false },
    isIdentified: { attribute: false },
    hasEarlier: { attribute: false },
    failure: { attribute: false },
    starting: { type: Boolean },
    nick: {},
    firstMessage: {},
    nickMissing: { state: true },
    messageMissing: { state: true },
    wrong: { state: true },
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
        margin-block-start: 8px;
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
  /** What is written out of hours waits for an agent also while the page is closed. */
  declare isForLater: boolean
  /** The site says who the visitor is: the form asks for no name. */
  declare isIdentified: boolean
  /** It leads to the visitor's earlier contacts. */
  declare hasEarlier: boolean
  declare failure: ErrorCode | null
  declare starting: boolean
  declare nick: string
  declare firstMessage: string
  declare nickMissing: boolean
  declare messageMissing: boolean
  /** Names of the fields that keep the chat from starting. */
  declare wrong: readonly string[]
  readonly #answers = new Map<string, string | boolean>()

  constructor() {
    super()
    this.greeting = ''
    this.fields = []
    this.hours = ''
    this.isClosed = false
    this.isForLater = false
    this.isIdentified = false
    this.hasEarlier = false
    this.wrong = []
    this.failure = null
    this.starting = false
    this.nick = ''
    this.firstMessage = ''
    this.nickMissing = false
    this.messageMissing = false
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`
      ${this.#intro(words)}
      <form novalidate @submit=${this.#submit} data-testid="start-form">
        ${this.isIdentified ? nothing : this.#nickField(words)}
        ${this.fields.map((field) => this.#field(field, words))} ${this.#messageField(words)}
        <div role="alert">
          ${this.failure ? html`<p class="failure" data-testid="start-failure" data-code=${this.failure}>${words.error(this.failure)}</p>` : nothing}
        </div>
        ${this.#submitButton(words)} ${this.hasEarlier ? this.#earlierButton(words) : nothing}
      </form>
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

  /** Out of hours there is nothing to answer without a message. */
  get #needsMessage(): boolean {
    return this.isClosed && this.isForLater
  }

  #messageField(words: Words): TemplateResult {
    return html`<label for="first">${words.t(this.#needsMessage ? 'laterLabel' : 'firstMessageLabel')}</label>
      <textarea
        id="first"
        rows="3"
        data-testid="first-message"
        aria-describedby="first-error"
        aria-invalid=${String(this.messageMissing)}
        .value=${this.firstMessage}
        @input=${this.#typed}
      ></textarea>
      <p id="first-error" class="error" role="alert">
        ${this.messageMissing ? words.t('fieldMissing') : ''}
      </p>`
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
      ${words.t(starting ? 'starting' : this.#needsMessage ? 'laterSend' : 'start')}
    </button>`
  }

  #intro(words: Words): TemplateResult {
    return html`<h2>${words.t('startTitle')}</h2>
      <p class="intro" dir="auto">${this.greeting || words.t('startText')}</p>
      ${
        this.isClosed
          ? html`<p class="closed" data-testid="closed">
              <strong>${words.t('closedTitle')}</strong> (<bdi>${this.hours}</bdi>).
              ${words.t(this.isForLater ? 'closedLater' : 'closedText')}
            </p>`
          : nothing
      }`
  }

  #field(field: WidgetField, words: Words): TemplateResult {
    const { name } = field
    const value = this.#answers.get(name)
    const fault = this.wrong.includes(name) ? faultOf(field, value) : null
    return fieldInput(field, {
      value,
      fault: fault ? words.t(fault) : '',
      onValue: (next) => {
        this.#answers.set(name, next)
        this.wrong = this.wrong.filter((each) => each !== name || faultOf(field, next) !== null)
      },
    })
  }

  readonly #typed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement) this.nick = currentTarget.value
    if (currentTarget instanceof HTMLTextAreaElement) this.firstMessage = currentTarget.value
    if (this.nick.trim()) this.nickMissing = false
    if (this.firstMessage.trim()) this.messageMissing = false
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    if (this.starting) return
    this.nickMissing = !this.isIdentified && this.nick.trim() === ''
    this.wrong = this.fields
      .filter((field) => faultOf(field, this.#answers.get(field.name)) !== null)
      .map(({ name }) => name)
    this.messageMissing = this.#needsMessage && this.firstMessage.trim() === ''
    const [wrong] = this.wrong
    if (this.nickMissing) return this.renderRoot.querySelector<HTMLElement>('#nick')?.focus()
    if (wrong !== undefined)
      return this.renderRoot.querySelector<HTMLElement>(`#field-${CSS.escape(wrong)}`)?.focus()
    if (this.messageMissing) return this.renderRoot.querySelector<HTMLElement>('#first')?.focus()
    const answers = answersOf(this.fields, this.#answers)
    this.dispatchEvent(
      new StartEvent({ nick: this.nick.trim(), firstMessage: this.firstMessage.trim(), answers }),
    )
  }
}

define('duolog-start-form', StartForm)
