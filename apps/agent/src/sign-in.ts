import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { base, define } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import type { ConsoleModel } from './console-model.ts'

/** An agent wants to sign in: under a name, or elsewhere. */
export class SignInEvent extends Event {
  readonly nick: string | null

  constructor(nick: string | null) {
    super('sign-in')
    this.nick = nick
  }
}

class SignIn extends LitElement {
  static override properties = {
    words: { attribute: false },
    way: { attribute: false },
    isBusy: { attribute: false },
    failure: {},
  }
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        place-items: center;
        min-block-size: 100dvh;
        padding: 16px;
      }
      main {
        inline-size: min(380px, 100%);
      }
      form,
      section {
        display: grid;
        gap: 8px;
        padding: 28px;
        border-radius: 18px;
        background: var(--p-surface);
        box-shadow: var(--p-shadow);
        /* Forced colours take the ground away. */
        border: 1px solid transparent;
      }
      h1 {
        margin: 0;
        font-size: 22px;
      }
      .intro {
        color: var(--p-muted);
        margin-block-end: 10px;
      }
      button {
        margin-block-start: 10px;
      }
    `,
  ]

  declare words: Words | undefined
  declare way: ConsoleModel['way']
  declare isBusy: boolean
  declare failure: string

  constructor() {
    super()
    this.way = null
    this.isBusy = false
    this.failure = ''
  }

  override render(): TemplateResult | typeof nothing {
    const { words, way } = this
    if (!words) return nothing
    return html`<main>${way === 'nick' ? this.#form(words) : this.#elsewhere(words, way)}</main>`
  }

  /** At the organisation's provider, on the page that embeds this one, or not known yet. */
  #elsewhere(words: Words, way: Exclude<ConsoleModel['way'], 'nick'>): TemplateResult {
    const { isBusy } = this
    const asked = way === 'oidc' ? 'signInAtProvider' : 'retry'
    return html`
      <section data-testid="sign-in-elsewhere" data-way=${way ?? 'unknown'}>
        <h1>${words.t('consoleTitle')}</h1>
        <p class="intro" role="status">
          ${words.t(way === null ? 'connecting' : way === 'oidc' ? 'signInProviderText' : 'signInParentText')}
        </p>
        <p class="failure" role="alert" data-testid="sign-in-failure">${this.failure}</p>
        ${
          way === null
            ? nothing
            : html`<button
                class="primary"
                autofocus
                data-testid="sign-in"
                aria-disabled=${String(isBusy)}
                @click=${() => isBusy || this.dispatchEvent(new SignInEvent(null))}
              >
                ${words.t(isBusy ? 'signingIn' : asked)}
              </button>`
        }
      </section>
    `
  }

  #form(words: Words): TemplateResult {
    const { isBusy } = this
    return html`
      <form @submit=${this.#submit} data-testid="sign-in-form">
        <h1>${words.t('consoleTitle')}</h1>
        <p class="intro">${words.t('signInText')}</p>
        <label for="nick">${words.t('signInName')}</label>
        <input
          id="nick"
          type="text"
          name="nick"
          required
          maxlength="64"
          autocomplete="username"
          autofocus
          data-testid="sign-in-nick"
        />
        <p class="failure" role="alert" data-testid="sign-in-failure">${this.failure}</p>
        <button class="primary" data-testid="sign-in" aria-disabled=${String(isBusy)}>
          ${words.t(isBusy ? 'signingIn' : 'signIn')}
        </button>
      </form>
    `
  }

  /** Focuses the field, or the button where there is none. */
  override focus(): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[autofocus]')?.focus())
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    const nick = this.renderRoot.querySelector('input')?.value.trim()
    if (nick && !this.isBusy) this.dispatchEvent(new SignInEvent(nick))
  }
}

define('duolog-sign-in', SignIn)
