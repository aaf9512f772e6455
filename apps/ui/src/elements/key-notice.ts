/** What stands above the composer of a secure contact that needs a decision, or must not go on. */
import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import { icons } from '../icons.ts'
import { peerName } from '../status.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { CompareElement } from './compare-element.ts'
import { define } from './define.ts'

class KeyNotice extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    state: { attribute: false },
  }
  static override styles = [
    base,
    css`
      .card {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 4px 10px;
        padding: 10px 14px;
        font-size: 14px;
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      .card.broken {
        background: var(--p-danger-soft);
        color: var(--p-on-danger-soft);
      }
      .buttons {
        grid-column: 2;
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  /** Of the conversation: the element is rendered again when it changes. */
  declare state: ContactSession['state'] | undefined

  override render(): TemplateResult | typeof nothing {
    const { session, words, state } = this
    const verification = state?.verification
    if (!session || !words || !verification || state.stage === 'ended') return nothing
    const nick = peerName(state, words)
    if (verification.state === 'broken')
      return html`<div class="card broken" role="alert" data-testid="key-notice" data-state="broken">
        ${icons.stop}
        <p>${words.t('brokenText', { nick })}</p>
      </div>`
    if (verification.state !== 'changed') return nothing
    return html`<div class="card" role="alert" data-testid="key-notice" data-state="changed">
        ${icons.alert}
        <p>${words.t('changedText', { nick })}</p>
        <div class="buttons">
          <button class="primary" aria-haspopup="dialog" data-testid="compare-keys" @click=${this.#compare}>
            ${words.t('compare')}
          </button>
          <button data-testid="accept-key" @click=${this.#accept}>${words.t('goOnWithout')}</button>
        </div>
      </div>
      <duolog-compare .session=${session} .words=${words}></duolog-compare>`
  }

  /** Of the key that this notice tells of. */
  readonly #accept = (): void =>
    this.session?.security.acceptKey(this.state?.verification?.code?.digits ?? '')

  readonly #compare = (): void => {
    const dialog = this.renderRoot.querySelector('duolog-compare')
    if (dialog instanceof CompareElement) dialog.open()
  }
}

define('duolog-key-notice', KeyNotice)
