import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { ObserverController, base, define, showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import { filled, matching, typedShortcut } from './canned-replies.ts'
import type { CannedReplies, OfferedReply } from './canned-replies.ts'
import { replyListStyle } from './desk-style.ts'

/** The field in which a message is written, by an event that has come out of it. */
function fieldOf(event: Event): HTMLTextAreaElement | null {
  const [from] = event.composedPath()
  return from instanceof HTMLTextAreaElement && from.dataset['testid'] === 'composer' ? from : null
}

/**
 * The canned replies that fit what is typed, above the field for messages that is its child. The focus stays in the
 * field: arrow keys choose, Enter or Tab takes one, Escape closes the list.
 */
export class ReplyList extends LitElement {
  static override properties = {
    replies: { attribute: false },
    words: { attribute: false },
    names: { attribute: false },
    typed: { state: true },
    chosen: { state: true },
  }
  static override styles = [base, replyListStyle]

  declare replies: CannedReplies | undefined
  declare words: DeskWords | undefined
  /** What stands for the placeholders. */
  declare names: { readonly visitor: string; readonly agent: string } | undefined
  /** The beginning of a shortcut; null: the list is closed. */
  declare typed: string | null
  declare chosen: number
  #field: HTMLTextAreaElement | null = null
  readonly #watching = new ObserverController(this)

  constructor() {
    super()
    this.typed = null
    this.chosen = 0
    this.addEventListener('input', this.#input)
    // Before the field takes Enter as the end of the message.
    this.addEventListener('keydown', this.#key, { capture: true })
    this.addEventListener('focusout', () => this.#close())
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('replies')) this.#watching.watch(this.replies)
  }

  override render(): TemplateResult {
    return html`<slot></slot>${this.typed === null ? nothing : this.#list()}`
  }

  override updated(): void {
    this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }

  get #offered(): readonly OfferedReply[] {
    return this.typed === null ? [] : matching(this.replies?.all ?? [], this.typed)
  }

  #list(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    const offered = this.#offered
    return html`<div class="list" data-testid="reply-list">
      <p class=${offered.length === 0 ? 'none' : 'hidden-text'} role="status" data-testid="reply-status">
        ${this.#statusText(offered, words)}
      </p>
      <ul role="listbox" aria-label=${words.t('replies')} ?hidden=${offered.length === 0}>
        ${offered.map((reply, at) => this.#option(reply, at))}
      </ul>
    </div>`
  }

  /**
   * How many there are, and which one is chosen. It is said, since the field is in another tree than the list and
   * cannot name the option as its active one (WAI-ARIA 1.2, 6.6 `aria-activedescendant`).
   */
  #statusText(offered: readonly OfferedReply[], words: DeskWords): string {
    const reply = offered[this.chosen]
    if (!reply) return words.t('repliesUnmatched')
    const chosen = `/${showHidden(reply.shortcut)}: ${showHidden(this.#filled(reply.text))}`
    return `${words.count('repliesFound', offered.length)} ${chosen}`
  }

  #option({ shortcut, text }: OfferedReply, at: number): TemplateResult {
    return html`<li
      role="option"
      data-testid="reply-option"
      aria-selected=${String(at === this.chosen)}
      @pointerdown=${(event: Event) => event.preventDefault()}
      @click=${() => this.#take(at)}
    >
      <span class="shortcut" dir="auto">/${showHidden(shortcut)}</span>
      <span class="text" dir="auto">${showHidden(this.#filled(text))}</span>
    </li>`
  }

  readonly #input = (event: Event): void => {
    const field = fieldOf(event)
    if (!field) return
    this.#field = field
    this.typed = typedShortcut(field.value)
    this.chosen = 0
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (this.typed === null || event.isComposing || !fieldOf(event)) return
    const many = this.#offered.length
    if (event.key === 'Escape') this.#close()
    else if (many === 0) return
    else if (event.key === 'ArrowDown') this.chosen = (this.chosen + 1) % many
    else if (event.key === 'ArrowUp') this.chosen = (this.chosen + many - 1) % many
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) this.#take(this.chosen)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** The text stands in the field, to be read and changed before it is sent. */
  #take(at: number): void {
    const [field, reply] = [this.#field, this.#offered[at]]
    if (!field || !reply) return
    field.value = this.#filled(reply.text)
    this.#close()
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
    this.typed = null
  }

  #filled(text: string): string {
    return this.names ? filled(text, this.names) : text
  }

  #close(): void {
    this.typed = null
  }
}

define('duolog-reply-list', ReplyList)
