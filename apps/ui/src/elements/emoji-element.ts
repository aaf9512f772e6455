import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { EMOJI } from '../emoji.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

/** An emoji was chosen; empty: none was. */
export class EmojiEvent extends Event {
  readonly emoji: string

  constructor(emoji: string) {
    super('emoji')
    this.emoji = emoji
  }
}

/** Emoji to choose from, in one stop of the Tab key; the arrow keys go from one to the next. Loaded when needed. */
class EmojiElement extends LitElement {
  static override properties = { words: { attribute: false }, at: { state: true } }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        border-block-start: 1px solid var(--p-line);
        max-block-size: min(240px, 40dvh);
        overflow-y: auto;
        padding: 4px 12px 8px;
      }
      h3 {
        margin: 8px 0 2px;
        font-size: 13px;
        font-weight: 600;
        color: var(--p-muted);
      }
      .group {
        display: flex;
        flex-wrap: wrap;
      }
      button {
        inline-size: 38px;
        min-block-size: 38px;
        padding: 0;
        font-size: 22px;
        line-height: 1;
        background: transparent;
        border-color: transparent;
        border-radius: 8px;
      }
    `,
  ]

  declare words: Words | undefined
  /** The symbol that the Tab key reaches, counted over all groups. */
  declare at: number

  constructor() {
    super()
    this.at = 0
    this.addEventListener('keydown', this.#key)
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    let count = 0
    return html`<div role="group" aria-label=${words.t('emoji')} data-testid="emoji-list">
      ${EMOJI.map(
        ([name, symbols]) =>
          html`<h3>${words.t(name)}</h3>
            <div class="group">${symbols.map((symbol) => this.#button(symbol, count++))}</div>`,
      )}
    </div>`
  }

  override focus(): void {
    this.#buttons()[this.at]?.focus()
  }

  #button(symbol: string, place: number): TemplateResult {
    return html`<button
      type="button"
      tabindex=${place === this.at ? 0 : -1}
      @focus=${() => (this.at = place)}
      @click=${() => this.dispatchEvent(new EmojiEvent(symbol))}
    >
      ${symbol}
    </button>`
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.renderRoot.querySelectorAll('button')]
  }

  /** Escape closes the list, and not the panel. */
  readonly #key = (event: KeyboardEvent): void => {
    const to = event.key === 'Escape' ? -1 : this.#next(event.key)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (to < 0) this.dispatchEvent(new EmojiEvent(''))
    else this.#buttons()[to]?.focus()
  }

  /** Where a key leads, undefined where it leads nowhere. */
  #next(key: string): number | undefined {
    const buttons = this.#buttons()
    const ahead = getComputedStyle(this).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const back = ahead === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft'
    if (key === ahead) return Math.min(this.at + 1, buttons.length - 1)
    if (key === back) return Math.max(this.at - 1, 0)
    if (key === 'Home') return 0
    if (key === 'End') return buttons.length - 1
    if (key === 'ArrowDown' || key === 'ArrowUp') return below(buttons, this.at, key === 'ArrowDown' ? 1 : -1)
    return undefined
  }
}

/** The nearest button in the next row, or in the one before. */
function below(buttons: readonly HTMLButtonElement[], at: number, step: 1 | -1): number {
  const places = buttons.map((button) => button.getBoundingClientRect())
  const from = places[at]
  if (!from) return 0
  const row = places.filter(({ top }) => (step > 0 ? top > from.top + 1 : top < from.top - 1))
  const top = step > 0 ? Math.min(...row.map((each) => each.top)) : Math.max(...row.map((each) => each.top))
  const near = row
    .filter((each) => Math.abs(each.top - top) < 2)
    .toSorted((a, b) => Math.abs(a.left - from.left) - Math.abs(b.left - from.left))[0]
  return near ? places.indexOf(near) : at
}

define('duolog-emoji', EmojiElement)
