import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { DataCollection, ErrorCode } from 'duolog'
import { base, define, icons } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import { failureText } from './identity.ts'
import { answersOf, faultOf, fieldInput } from './start-fields.ts'
import { startFormStyle } from './start-form-style.ts'
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
    isUnattended: { attribute: false },
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
  static override styles = [base, startFormStyle]

  declare words: Words | undefined
  /** In the place of the words above the form. */
  declare greeting: string
  declare fields: readonly WidgetField[]
  declare hours: string
  /** Outside of the hours: what is written now is answered later. */
  declare isClosed: boolean
  /** What is written out of hours waits for an agent also while the page is closed. */
  declare isForLater: boolean
  /** Nobody was there for a chat without a message: it is asked for one. */
  declare isUnattended: boolean
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
    this.isUnattended = false
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

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('isUnattended') && this.isUnattended) this.messageMissing = this.#isEmpty
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('isUnattended') && this.isUnattended) this.#focusOn('first')
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
          ${this.failure ? html`<p class="failure" data-testid="start-failure" data-code=${this.failure}>${failureText(this.failure, this.isIdentified, words)}</p>` : nothing}
        </div>
        ${this.#submitButton(words)} ${this.hasEarlier ? this.#earlierButton(words) : nothing}
      </form>
    `
  }

  override focus(): void {
    this.#focusOn(this.nick || this.isIdentified ? 'first' : 'nick')
  }

  #nickField(words: Words): TemplateResult {
    return html`<label for="nick">${words.t('nickLabel')}</label>
      <input
        id="nick"
        type="text"
        required
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

  /** Where nobody is there, there is nothing to answer without a message. */
  get #needsMessage(): boolean {
    return (this.isClosed || this.isUnattended) && this.isForLater
  }

  get #isEmpty(): boolean {
    return this.firstMessage.trim() === ''
  }

  #focusOn(id: string): void {
    this.renderRoot.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.focus()
  }

  #messageField(words: Words): TemplateResult {
    return html`<label for="first">${words.t(this.#needsMessage ? 'laterLabel' : 'firstMessageLabel')}</label>
      <textarea
        id="first"
        rows="3"
        ?required=${this.#needsMessage}
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
      ${this.isClosed || this.#needsMessage ? this.#closedNote(words) : nothing}`
  }

  #closedNote(words: Words): TemplateResult {
    const why = html`<strong>${words.t('closedTitle')}</strong> (<bdi>${this.hours}</bdi>).`
    return html`<p class="closed" data-testid="closed">
      ${this.isClosed ? why : nothing} ${words.t(this.isForLater ? 'closedLater' : 'closedText')}
    </p>`
  }

  #field(field: WidgetField, words: Words): TemplateResult {
    const { name } = field
    const value = this.#answers.get(name)
    const fault = this.wrong.includes(name) ? faultOf(field, value) : null
    return fieldInput(field, {
      value,
      fault: fault ? words.t(fault) : '',
      words,
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
    if (!this.#isEmpty) this.messageMissing = false
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    if (this.starting) return
    this.nickMissing = !this.isIdentified && this.nick.trim() === ''
    this.wrong = this.fields
      .filter((field) => faultOf(field, this.#answers.get(field.name)) !== null)
      .map(({ name }) => name)
    this.messageMissing = this.#needsMessage && this.#isEmpty
    const [wrong] = this.wrong
    if (this.nickMissing) return this.#focusOn('nick')
    if (wrong !== undefined) return this.#focusOn(`field-${wrong}`)
    if (this.messageMissing) return this.#focusOn('first')
    const answers = answersOf(this.fields, this.#answers)
    this.dispatchEvent(
      new StartEvent({ nick: this.nick.trim(), firstMessage: this.firstMessage.trim(), answers }),
    )
  }
}

define('duolog-start-form', StartForm)
