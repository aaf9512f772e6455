import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ErrorCode } from 'duolog'
import { base, define } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'

/** What the visitor has written into the form. */
export class StartEvent extends Event {
  readonly nick: string
  readonly firstMessage: string

  constructor(nick: string, firstMessage: string) {
    super('start')
    this.nick = nick
    this.firstMessage = firstMessage
  }
}

const MAX_NICK = 64

export class StartForm extends LitElement {
  static override properties = {
    words: { attribute: false },
    failure: { attribute: false },
    starting: { type: Boolean },
    nick: {},
    firstMessage: {},
    nickMissing: { state: true },
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
      .failure {
        margin-block-start: 14px;
        padding: 10px 12px;
      }
    `,
  ]

  declare words: Words | undefined
  declare failure: ErrorCode | null
  declare starting: boolean
  declare nick: string
  declare firstMessage: string
  declare nickMissing: boolean

  constructor() {
    super()
    this.failure = null
    this.starting = false
    this.nick = ''
    this.firstMessage = ''
    this.nickMissing = false
  }

  override render(): TemplateResult | typeof nothing {
    const { words, starting } = this
    if (!words) return nothing
    return html`
      <h2>${words.t('startTitle')}</h2>
      <p class="intro">${words.t('startText')}</p>
      <form novalidate @submit=${this.#submit} data-testid="start-form">
        <label for="nick">${words.t('nickLabel')}</label>
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
        <p id="nick-error" class="error" role="alert">${this.nickMissing ? words.t('nickMissing') : ''}</p>
        <label for="first">${words.t('firstMessageLabel')}</label>
        <textarea
          id="first"
          rows="3"
          data-testid="first-message"
          .value=${this.firstMessage}
          @input=${this.#typed}
        ></textarea>
        <button class="primary" type="submit" data-testid="start" aria-disabled=${String(starting)}>
          ${words.t(starting ? 'starting' : 'start')}
        </button>
      </form>
      <div role="alert">
        ${this.failure ? html`<p class="failure" data-testid="start-failure" data-code=${this.failure}>${words.error(this.failure)}</p>` : nothing}
      </div>
    `
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>(this.nick ? '#first' : '#nick')?.focus()
  }

  readonly #typed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement) this.nick = currentTarget.value
    if (currentTarget instanceof HTMLTextAreaElement) this.firstMessage = currentTarget.value
    if (this.nick.trim()) this.nickMissing = false
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    if (this.starting) return
    this.nickMissing = this.nick.trim() === ''
    if (this.nickMissing) this.renderRoot.querySelector<HTMLElement>('#nick')?.focus()
    else this.dispatchEvent(new StartEvent(this.nick.trim(), this.firstMessage.trim()))
  }
}

define('duolog-start-form', StartForm)
