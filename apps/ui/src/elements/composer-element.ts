import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import { icons } from '../icons.ts'
import { byteLength } from '../safe-text.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import type { EmojiEvent } from './emoji-element.ts'
import type { VoiceNoteEvent } from './voice-note-element.ts'

const MAX_BYTES = 8192
const MAX_HEIGHT_PX = 140

/**
 * Whether the clipboard holds text of a spreadsheet or word processor, which adds a picture of the text. A
 * copied file has at most its name as text, a copied picture of a page only markup.
 */
const isRichText = (types: readonly string[]): boolean =>
  types.includes('text/plain') && (types.includes('text/html') || types.includes('text/rtf'))

const LOADS = {
  emoji: () => import('./emoji-element.ts'),
  voice: () => import('./voice-note-element.ts'),
} as const

/** The field for messages. It is never disabled: a text that cannot be sent stays, with the reason. */
class ComposerElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    files: { attribute: false },
    inCall: { attribute: false },
    excess: { state: true },
    tool: { state: true },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
      }
      form {
        display: flex;
        align-items: flex-end;
        gap: 8px;
        padding: 10px 12px;
      }
      textarea {
        resize: none;
        min-block-size: 42px;
        max-block-size: ${MAX_HEIGHT_PX}px;
        border-radius: 21px;
        padding-inline: 16px;
      }
      textarea:placeholder-shown {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      textarea::placeholder {
        overflow: hidden;
        white-space: nowrap;
        text-overflow: ellipsis;
      }
      .tools {
        display: flex;
        align-items: center;
        min-block-size: 42px;
        margin-inline-start: -6px;
      }
      .tools button {
        inline-size: 34px;
        min-block-size: 34px;
      }
      form > button {
        inline-size: 42px;
        min-block-size: 42px;
        padding: 0;
        flex: none;
      }
      .excess {
        margin: 0 12px;
        padding: 6px 10px;
        font-size: 13px;
        border-radius: var(--p-radius);
        background: var(--p-danger-soft);
        color: var(--p-on-danger-soft);
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  /** Files may be sent. */
  declare files: boolean
  /** A call has the microphone. */
  declare inCall: boolean
  declare excess: number
  /** What is open beside the field; its code is loaded with its first use. */
  declare tool: 'none' | 'emoji' | 'voice'

  constructor() {
    super()
    this.excess = 0
    this.files = true
    this.inCall = false
    this.tool = 'none'
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`
      <p class="excess" role="alert" ?hidden=${this.excess === 0} data-testid="too-long">
        ${this.excess > 0 ? words.t('tooLong', { n: this.excess }) : ''}
      </p>
      ${this.#tool(words)}
      <form @submit=${this.#submit} ?hidden=${this.tool === 'voice'}>
        <div class="tools">${this.#fileButton(words)} ${this.#toolButtons(words)}</div>
        <textarea
          rows="1"
          dir="auto"
          autocomplete="off"
          enterkeyhint="send"
          data-testid="composer"
          aria-label=${words.t('composerLabel')}
          placeholder=${words.t('composerPlaceholder')}
          @input=${this.#typed}
          @keydown=${this.#key}
          @paste=${this.#pasted}
        ></textarea>
        <button
          class="primary icon flips"
          type="submit"
          data-testid="send"
          aria-label=${words.t('send')}
          title=${words.t('send')}
        >
          ${icons.send}
        </button>
      </form>
    `
  }

  #fileButton(words: Words): TemplateResult {
    return html`<input type="file" multiple hidden data-testid="file-input" @change=${this.#chosen} />
      <button
        class="icon"
        type="button"
        data-testid="attach-file"
        ?hidden=${!this.files}
        aria-label=${words.t('attachFile')}
        title=${words.t('attachFile')}
        @click=${this.#choose}
      >
        ${icons.clip}
      </button>`
  }

  #toolButtons(words: Words): TemplateResult {
    const canRecord = this.files && !this.inCall && typeof MediaRecorder === 'function' && isSecureContext
    return html`<button
        class="icon"
        type="button"
        data-testid="emoji"
        aria-label=${words.t('emoji')}
        title=${words.t('emoji')}
        aria-expanded=${String(this.tool === 'emoji')}
        @click=${() => this.#use(this.tool === 'emoji' ? 'none' : 'emoji')}
      >
        ${icons.smile}
      </button>
      <button
        class="icon"
        type="button"
        data-testid="voice-note"
        ?hidden=${!canRecord}
        aria-label=${words.t('voiceNote')}
        title=${words.t('voiceNote')}
        @click=${() => this.#use('voice')}
      >
        ${icons.mic}
      </button>`
  }

  #tool(words: Words): TemplateResult | typeof nothing {
    if (this.tool === 'emoji')
      return html`<duolog-emoji class="tool" .words=${words} @emoji=${this.#picked}></duolog-emoji>`
    if (this.tool === 'voice')
      return html`<duolog-voice-note
        class="tool"
        .words=${words}
        @voice-note=${this.#recorded}
      ></duolog-voice-note>`
    return nothing
  }

  /** Opens one, once its code is there, or goes back to the field. */
  #use(tool: ComposerElement['tool']): void {
    const turn = (): void => {
      this.tool = tool
      void this.updateComplete.then(async () => {
        const opened = this.renderRoot.querySelector<LitElement>('.tool')
        await opened?.updateComplete
        ;(opened ?? this).focus()
      })
    }
    if (tool === 'none') turn()
    else LOADS[tool]().then(turn, () => {})
  }

  readonly #picked = ({ emoji }: EmojiEvent): void => {
    const field = this.#field()
    if (emoji && field) {
      field.setRangeText(emoji, field.selectionStart, field.selectionEnd, 'end')
      this.#typed()
    }
    this.#use('none')
  }

  readonly #recorded = ({ file }: VoiceNoteEvent): void => {
    if (file) this.session?.files.send([file])
    this.#use('none')
  }

  /** Each contact has a draft of its own. */
  override updated(changed: PropertyValues<this>): void {
    const field = this.#field()
    if (!field || !changed.has('session')) return
    this.excess = 0
    this.tool = 'none'
    field.value = this.session?.draft ?? ''
    this.#fit()
  }

  override focus(): void {
    this.#field()?.focus()
  }

  #field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea')
  }

  readonly #typed = (): void => {
    this.excess = 0
    this.#fit()
    const text = this.#field()?.value ?? ''
    if (this.session) this.session.draft = text
    if (text.trim()) this.session?.typing()
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    this.#send()
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    this.#send()
    this.focus()
  }

  readonly #choose = (): void => this.renderRoot.querySelector<HTMLInputElement>('input[type=file]')?.click()

  readonly #chosen = (event: Event): void => {
    if (!(event.target instanceof HTMLInputElement)) return
    this.session?.files.send(event.target.files ?? [])
    event.target.value = ''
    this.focus()
  }

  readonly #pasted = (event: ClipboardEvent): void => {
    const { files, types } = event.clipboardData ?? {}
    if (!files || files.length === 0 || !types || isRichText(types)) return
    event.preventDefault()
    this.session?.files.send(files)
  }

  #send(): void {
    const field = this.#field()
    const text = field?.value.trim() ?? ''
    if (!field || !this.session || text === '') return
    this.excess = Math.max(0, byteLength(text) - MAX_BYTES)
    if (this.excess > 0) return
    field.value = ''
    this.session.draft = ''
    this.#fit()
    this.session.send(text)
  }

  #fit(): void {
    const field = this.#field()
    if (!field) return
    field.style.blockSize = 'auto'
    field.style.blockSize = `${Math.min(field.scrollHeight + 2, MAX_HEIGHT_PX)}px`
  }
}

define('duolog-composer', ComposerElement)
