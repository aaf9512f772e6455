import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { ifDefined } from 'lit/directives/if-defined.js'
import type { Colleague, TransferNote, TransferTarget } from 'duolog/agent'
import type { ErrorCode } from 'duolog'
import { base, codeOf, define, dialogStyle, showHidden } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'

type Way = 'tags' | 'agent'

/** To whom a contact is handed on, in a dialog. The browser keeps the focus inside and gives it back. */
export class TransferElement extends LitElement {
  static override properties = {
    transfer: { attribute: false },
    nick: {},
    words: { attribute: false },
    way: { state: true },
    isBusy: { state: true },
    failure: { state: true },
    colleagues: { attribute: false },
    takesNote: { attribute: false },
    known: { state: true },
  }
  static override styles = [
    base,
    dialogStyle,
    css`
      fieldset {
        margin: 0;
        padding: 0;
        border: 0;
        display: grid;
        gap: 6px;
      }
      label {
        display: flex;
        align-items: center;
        gap: 8px;
        font-weight: 400;
      }
      .what {
        margin-block: 12px;
      }
      .note {
        display: grid;
        gap: 4px;
        margin-block-end: 12px;
      }
      .hint {
        margin-block-start: 8px;
        font-size: 13px;
        color: var(--p-muted);
      }
      .failure:not(:empty) {
        margin-block-start: 10px;
        font-size: 14px;
      }
    `,
  ]

  declare transfer: ((to: TransferTarget, options: TransferNote) => Promise<unknown>) | undefined
  /** Asks who there is. */
  declare colleagues: (() => Promise<readonly Colleague[]>) | undefined
  /** Whether something can be written for the next agent. */
  declare takesNote: boolean
  declare known: readonly Colleague[]
  declare nick: string
  declare words: Words | undefined
  declare way: Way
  declare isBusy: boolean
  declare failure: ErrorCode | 'empty' | null

  constructor() {
    super()
    this.nick = ''
    this.way = 'tags'
    this.isBusy = false
    this.failure = null
    this.takesNote = true
    this.known = []
  }

  open(): void {
    this.failure = null
    this.isBusy = false
    this.#dialog()?.showModal()
    void this.colleagues?.().then((known) => (this.known = known))
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`
      <dialog
        aria-labelledby="heading"
        data-testid="transfer-dialog"
        @keydown=${(event: Event) => event.stopPropagation()}
      >
        <form novalidate @submit=${this.#submit}>
          <h2 id="heading">${words.t('transferTitle', { nick: this.nick })}</h2>
          ${this.#ways(words)} ${this.#target(words)} ${this.takesNote ? note(words) : nothing}
          <div class="buttons">
            <button type="button" data-testid="transfer-cancel" @click=${() => this.#dialog()?.close()}>
              ${words.t('cancel')}
            </button>
            <button class="primary" data-testid="transfer-now" aria-disabled=${String(this.isBusy)}>
              ${words.t(this.isBusy ? 'transferring' : 'transfer')}
            </button>
          </div>
        </form>
      </dialog>
    `
  }

  #ways(words: Words): TemplateResult {
    const choice = (value: Way, text: string): TemplateResult =>
      html`<label
        ><input
          type="radio"
          name="way"
          value=${value}
          data-testid="transfer-to-${value}"
          .checked=${this.way === value}
          @change=${() => (this.way = value)}
        />${text}</label
      >`
    return html`<fieldset aria-labelledby="heading">
      ${choice('tags', words.t('transferToTags'))} ${choice('agent', words.t('transferToAgent'))}
    </fieldset>`
  }

  #target(words: Words): TemplateResult {
    const { way, failure } = this
    const failed = failure ? this.#failureText(failure, words) : nothing
    return html`<div class="what">
      <input
        type="text"
        dir="auto"
        autocomplete="off"
        list=${ifDefined(way === 'agent' ? 'colleagues' : undefined)}
        data-testid="transfer-what"
        aria-label=${words.t(way === 'tags' ? 'transferTags' : 'transferAgent')}
        aria-describedby="hint failure"
        aria-invalid=${String(failure !== null)}
      />
      <datalist id="colleagues" data-testid="colleagues">
        ${this.known.map((colleague) => choice(colleague, this.known, words))}
      </datalist>
      <p id="hint" class="hint">${words.t(way === 'tags' ? 'transferTagsHint' : 'transferAgentHint')}</p>
      <p id="failure" class="failure" role="alert" data-testid="transfer-failure">${failed}</p>
    </div>`
  }

  #failureText(code: ErrorCode | 'empty', words: Words): string {
    if (code === 'empty') return words.t('transferAgentMissing')
    if (code === 'not_found') return words.t('transferNobody')
    if (code === 'invalid_argument') return words.t('transferInvalid')
    return words.error(code)
  }

  #note(): TransferNote {
    const text = this.renderRoot.querySelector('textarea')?.value.trim() ?? ''
    return text === '' ? {} : { note: text }
  }

  #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }

  readonly #submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const input = this.renderRoot.querySelector<HTMLInputElement>('[data-testid=transfer-what]')
    if (!input || !this.transfer || this.isBusy) return
    const typed = input.value.trim()
    this.failure = this.way === 'agent' && typed === '' ? 'empty' : null
    if (this.failure) return input.focus()
    this.isBusy = true
    try {
      await this.transfer(
        this.way === 'agent' ? { toAgent: idOf(typed, this.known) } : { toTags: tagsIn(typed) },
        this.#note(),
      )
      for (const field of this.renderRoot.querySelectorAll<HTMLInputElement>('input[type=text], textarea'))
        field.value = ''
      this.#dialog()?.close()
    } catch (error) {
      this.failure = codeOf(error)
      input.focus()
    }
    this.isBusy = false
  }
}

/** For who takes the contact. */
const note = (words: Words): TemplateResult =>
  html`<div class="note">
    <label for="note">${words.t('transferNote')}</label>
    <textarea id="note" rows="3" dir="auto" maxlength="2048" data-testid="transfer-note"></textarea>
  </div>`

/** Of colleagues with the same name, each is shown with the id. */
const nameOf = ({ nick, user }: Colleague, known: readonly Colleague[]): string =>
  known.filter((each) => each.nick === nick).length > 1 ? `${nick} (${user})` : nick

const STATES = { ready: 'colleagueReady', busy: 'colleagueBusy', paused: 'colleaguePaused' } as const

const choice = (colleague: Colleague, known: readonly Colleague[], words: Words): TemplateResult =>
  html`<option
    value=${nameOf(colleague, known)}
    label=${[words.t(STATES[colleague.state]), ...colleague.tags].map(showHidden).join(' · ')}
  ></option>`

/** Who is meant: by the name, as it is shown, or by the id. */
const idOf = (typed: string, known: readonly Colleague[]): string =>
  known.find((each) => nameOf(each, known).toLowerCase() === typed.toLowerCase())?.user ?? typed

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

define('duolog-transfer', TransferElement)
