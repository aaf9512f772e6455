import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { VERIFICATION_SYMBOLS } from 'duolog/symbols'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import type { MessageKey } from '../messages/en.ts'
import { ObserverController } from '../observable.ts'
import type { Verification, VerificationCode } from '../sdk.ts'
import { peerName } from '../status.ts'
import { base, dialogStyle } from '../styles.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import { valueOf } from './submitted.ts'

/** The dialog in which two people compare the code of their key. */
export class CompareElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    symbols: { state: true },
    compared: { state: true },
  }
  static override styles = [
    base,
    dialogStyle,
    css`
      .symbols {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(76px, 1fr));
        gap: 8px;
        margin-block: 16px;
        padding: 0;
        list-style: none;
      }
      .symbols li {
        display: grid;
        justify-items: center;
        gap: 2px;
        padding: 8px 4px;
        border: 1px solid var(--p-line);
        border-radius: var(--p-radius);
        font-size: 13px;
        text-align: center;
      }
      .picture {
        font-size: 28px;
        line-height: 1.2;
        font-family: 'Noto Color Emoji', 'Apple Color Emoji', 'Segoe UI Emoji', sans-serif;
      }
      .buttons button {
        flex: 1 1 120px;
      }
      .digits {
        text-align: center;
        font:
          600 20px/1.4 ui-monospace,
          'Liberation Mono',
          monospace;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  /** Empty until they are loaded, or where they cannot be: the digits say the same. */
  declare symbols: typeof VERIFICATION_SYMBOLS
  /** Digits of the code that the dialog shows. Null while it is closed, or there is no code yet. */
  declare compared: string | null
  readonly #watching = new ObserverController(this)

  constructor() {
    super()
    this.symbols = []
    this.compared = null
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) this.#watching.watch(this.session)
    const digits = this.session?.state.verification?.code?.digits ?? null
    this.compared = this.#dialog()?.open ? (this.compared ?? digits) : null
  }

  open(): void {
    this.#dialog()?.showModal()
    this.compared = null
    this.requestUpdate()
    import('duolog/symbols').then(
      ({ VERIFICATION_SYMBOLS: symbols }) => (this.symbols = symbols),
      () => {},
    )
  }

  override render(): TemplateResult | typeof nothing {
    const { session, words } = this
    const verification = session?.state.verification
    if (!session || !words || !verification) return nothing
    return html`
      <dialog
        aria-labelledby="heading"
        aria-describedby="text"
        data-testid="compare"
        @keydown=${(event: Event) => event.stopPropagation()}
      >
        <form method="dialog" @submit=${this.#answered}>
          ${this.#content(session.state, verification, words)}
          <div class="buttons">
            ${
              !this.#isStale(verification) &&
              (verification.state === 'unverified' || verification.state === 'changed')
                ? html`<button class="danger" value="differ" data-testid="codes-differ">
                      ${words.t('theyDiffer')}
                    </button>
                    <button class="primary" value="match" data-testid="codes-match">
                      ${words.t('theyMatch')}
                    </button>`
                : nothing
            }
            <button value="close" autofocus data-testid="close-compare">${words.t('close')}</button>
          </div>
        </form>
      </dialog>
    `
  }

  /** What is being compared is no longer the code of the key. */
  #isStale({ code }: Verification): boolean {
    return this.compared !== null && this.compared !== code?.digits
  }

  #content(conversation: Conversation, verification: Verification, words: Words): TemplateResult {
    if (this.#isStale(verification))
      return html`<h2 id="heading">${words.t('codeChanged')}</h2>
        <p id="text" role="alert" data-testid="code-changed">${words.t('codeChangedText')}</p>`
    return html`<h2 id="heading">${words.t(HEADINGS[verification.state])}</h2>
      <p id="text">${explanation(conversation, verification, words)}</p>
      ${verification.code ? this.#code(verification.code, words) : nothing}`
  }

  #code({ symbols, digits }: VerificationCode, words: Words): TemplateResult {
    const shown = symbols.flatMap((place) => {
      const { symbol, name } = this.symbols[place] ?? {}
      return symbol && name ? [{ symbol, name: words.symbol(place, name) }] : []
    })
    return html`
      <ol
        class="symbols"
        aria-label=${words.t('symbols')}
        data-testid="symbols"
        ?hidden=${shown.length === 0}
      >
        ${shown.map(
          ({ symbol, name }) =>
            html`<li><span class="picture" aria-hidden="true">${symbol}</span>${name}</li>`,
        )}
      </ol>
      <p class="digits" dir="ltr" role="group" aria-label=${words.t('digits')} data-testid="digits">
        ${inGroups(digits)}
      </p>
    `
  }

  /** The event `close` comes with the next frame, when the dialog may be open again. */
  readonly #answered = (event: SubmitEvent): void => {
    event.preventDefault()
    this.#dialog()?.close()
    const { compared } = this
    const answer = valueOf(event)
    this.compared = null
    if (compared !== null && (answer === 'match' || answer === 'differ'))
      this.session?.security.compared(compared, answer === 'match')
  }

  #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }
}

const HEADINGS: Readonly<Record<Verification['state'], MessageKey>> = {
  agreeing: 'secAgreeing',
  unverified: 'secUnverified',
  verified: 'secVerified',
  changed: 'secChanged',
  broken: 'secBroken',
}

function explanation(conversation: Conversation, { state, by }: Verification, words: Words): string {
  const nick = peerName(conversation, words)
  if (state === 'verified')
    return words.t(by === 'organisation' ? 'verifiedByOrganisation' : 'verifiedByUser', { nick })
  if (state === 'changed') return words.t('unverifiedText', { nick })
  return words.t(`${state}Text`, { nick })
}

/** Four digits at a time are easier to read out. */
const inGroups = (digits: string): string => digits.replace(/(\d{4})(?=\d)/g, '$1 ')

define('duolog-compare', CompareElement)
