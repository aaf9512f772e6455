import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { CannedReply } from 'duolog/agent'
import { ObserverController, base, define, dialogStyle, icons, showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import { REPLIES } from './canned-replies.ts'
import type { CannedReplies, ReplyFault } from './canned-replies.ts'
import { deskIcons } from './desk-icons.ts'
import { deskStyle } from './desk-style.ts'

const FAULTS = {
  invalid: 'replyInvalid',
  taken: 'replyTaken',
  full: 'replyFull',
  unkept: 'replyUnkept',
} as const

/** The canned replies, in a dialog: the agent's own can be changed. */
export class RepliesElement extends LitElement {
  static override properties = {
    replies: { attribute: false },
    words: { attribute: false },
    changed: { state: true },
    fault: { state: true },
  }
  static override styles = [
    base,
    dialogStyle,
    deskStyle,
    css`
      dialog {
        inline-size: min(560px, calc(100vw - 32px));
      }
      li {
        display: flex;
        align-items: flex-start;
        gap: 8px;
        padding-block: 6px;
        border-block-end: 1px solid var(--p-line);
      }
      li div {
        flex: 1;
        min-inline-size: 0;
        overflow-wrap: anywhere;
      }
      .shortcut {
        font-weight: 700;
      }
      .text {
        white-space: pre-wrap;
        font-size: 14px;
      }
      form {
        display: grid;
        gap: 6px;
        margin-block-start: 12px;
      }
    `,
  ]

  declare replies: CannedReplies | undefined
  declare words: DeskWords | undefined
  /** The shortcut of the reply that is being changed; null: a new one is written. */
  declare changed: string | null
  declare fault: ReplyFault | null
  readonly #watching = new ObserverController(this)

  constructor() {
    super()
    this.changed = null
    this.fault = null
  }

  /** Shows the dialog; the browser keeps the focus inside and gives it back. */
  async open(): Promise<void> {
    await this.updateComplete
    this.#fill(null)
    this.renderRoot.querySelector('dialog')?.showModal()
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('replies')) this.#watching.watch(this.replies)
  }

  override render(): TemplateResult | typeof nothing {
    const { words, replies } = this
    if (!words || !replies) return nothing
    return html`<dialog
      aria-labelledby="heading"
      aria-describedby="hint"
      data-testid="replies-dialog"
      @keydown=${(event: Event) => event.stopPropagation()}
    >
      <div class="head">
        <h2 id="heading">${words.t('replies')}</h2>
        <button
          class="icon"
          data-testid="replies-close"
          aria-label=${words.words.t('close')}
          title=${words.words.t('close')}
          @click=${() => this.renderRoot.querySelector('dialog')?.close()}
        >
          ${icons.close}
        </button>
      </div>
      <p id="hint" class="hint">${words.t('repliesHint')}</p>
      <h3>${words.t('repliesOwn')}</h3>
      ${this.#list(replies.own, words, true)} ${this.#form(words)}
      <h3>${words.t('repliesShared')}</h3>
      ${this.#list(replies.shared, words, false)}
    </dialog>`
  }

  #list(list: readonly CannedReply[], words: DeskWords, isOwn: boolean): TemplateResult {
    if (list.length === 0) return html`<p class="none">${words.t('repliesNone')}</p>`
    return html`<ul>
      ${list.map(
        ({ shortcut, text }) =>
          html`<li data-testid=${isOwn ? 'own-reply' : 'shared-reply'}>
            <div>
              <p class="shortcut" dir="auto">/${showHidden(shortcut)}</p>
              <p class="text" dir="auto">${showHidden(text)}</p>
            </div>
            ${isOwn ? this.#ways(shortcut, words) : nothing}
          </li>`,
      )}
    </ul>`
  }

  #ways(shortcut: string, words: DeskWords): TemplateResult {
    const [change, remove] = [words.t('replyChange', { shortcut }), words.t('replyRemove', { shortcut })]
    return html`<button
        class="icon"
        data-testid="reply-change"
        aria-label=${change}
        title=${change}
        @click=${() => this.#fill(shortcut)}
      >
        ${icons.pen}
      </button>
      <button
        class="icon"
        data-testid="reply-remove"
        aria-label=${remove}
        title=${remove}
        @click=${() => this.#remove(shortcut)}
      >
        ${deskIcons.bin}
      </button>`
  }

  #form(words: DeskWords): TemplateResult {
    const { fault } = this
    const failure = fault ? words.t(FAULTS[fault]) : ''
    return html`<form novalidate @submit=${this.#submit}>
      <label for="shortcut">${words.t('replyShortcut')}</label>
      <input
        id="shortcut"
        type="text"
        dir="auto"
        autocomplete="off"
        maxlength=${REPLIES.shortcut + 1}
        data-testid="reply-shortcut"
        aria-describedby="shortcut-hint failure"
        aria-invalid=${String(fault === 'invalid' || fault === 'taken')}
      />
      <p id="shortcut-hint" class="hint">${words.t('replyShortcutHint')}</p>
      <label for="text">${words.t('replyText')}</label>
      <textarea
        id="text"
        rows="3"
        dir="auto"
        maxlength=${REPLIES.text}
        data-testid="reply-text"
        aria-describedby="failure"
      ></textarea>
      <p id="failure" class="failure" role="alert" data-testid="reply-failure">${failure}</p>
      <div class="buttons">
        <button data-testid="reply-save">${words.t(this.changed === null ? 'replyAdd' : 'replySave')}</button>
        ${
          this.changed === null
            ? nothing
            : html`<button type="button" data-testid="reply-cancel" @click=${() => this.#fill(null)}>
                ${words.words.t('cancel')}
              </button>`
        }
      </div>
    </form>`
  }

  /** Puts a reply in the form; null: nothing. */
  #fill(shortcut: string | null): void {
    const reply = this.replies?.own.find((each) => each.shortcut === shortcut)
    const [name, text] = this.#fields()
    if (!name || !text) return
    this.changed = reply?.shortcut ?? null
    this.fault = null
    name.value = reply?.shortcut ?? ''
    text.value = reply?.text ?? ''
    if (shortcut !== null) name.focus()
  }

  #remove(shortcut: string): void {
    this.fault = this.replies?.remove(shortcut) ?? null
    if (this.changed === shortcut) this.changed = null
    this.#fields()[0]?.focus()
  }

  #fields(): readonly [HTMLInputElement | null, HTMLTextAreaElement | null] {
    return [this.renderRoot.querySelector('input'), this.renderRoot.querySelector('textarea')]
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    const [name, text] = this.#fields()
    if (!name || !text || !this.replies) return
    const reply = { shortcut: name.value.trim().replace(/^\//, ''), text: text.value.trim() }
    const fault = this.replies.keep(reply, this.changed)
    if (fault === null || fault === 'unkept') this.#fill(null)
    this.fault = fault
    name.focus()
  }
}

define('duolog-replies', RepliesElement)
