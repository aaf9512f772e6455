import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ErrorCode, Rating } from 'duolog'
import { base, codeOf, define, icons } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'

const SCORES = [1, 2, 3, 4, 5] as const
const MAX_COMMENT = 2048

/** Gives the rating to the service. Rejects as `rate` of a client. */
export type Rate = (rating: Rating) => Promise<void>

/** Asks how the contact was: one to five stars, and a comment unless the contact is secure. */
export class RatingElement extends LitElement {
  static override properties = {
    words: { attribute: false },
    rate: { attribute: false },
    secure: { type: Boolean },
    score: { state: true },
    phase: { state: true },
    failure: { state: true },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        padding: 12px 16px;
      }
      fieldset {
        border: 0;
        margin: 0;
        padding: 0;
        min-inline-size: 0;
      }
      legend,
      label[for] {
        font-weight: 600;
      }
      .stars {
        display: flex;
        gap: 2px;
        margin-block: 4px 8px;
      }
      .star {
        position: relative;
        display: grid;
        inline-size: 44px;
        block-size: 44px;
        place-items: center;
        cursor: pointer;
        border-radius: var(--p-radius);
        color: var(--p-muted);
      }
      .star input {
        position: absolute;
        inset: 0;
        opacity: 0;
        margin: 0;
        cursor: inherit;
      }
      .star.on {
        color: var(--p-accent);
      }
      .star.on svg {
        fill: currentColor;
      }
      .star:focus-within {
        outline: 2px solid var(--p-accent);
        outline-offset: -2px;
      }
      .more {
        display: grid;
        gap: 6px;
      }
      .failure:not(:empty),
      button {
        margin-block-start: 8px;
      }
      /* What is said at the end stands in the middle. */
      [role='status'] {
        text-align: center;
      }
      textarea {
        resize: vertical;
        min-block-size: 60px;
      }
      @media (forced-colors: active) {
        .star.on {
          color: Highlight;
        }
      }
    `,
  ]

  declare words: Words | undefined
  declare rate: Rate | undefined
  declare secure: boolean
  declare score: number
  declare phase: 'asking' | 'sending' | 'given'
  declare failure: ErrorCode | null

  constructor() {
    super()
    this.secure = false
    this.score = 0
    this.phase = 'asking'
    this.failure = null
  }

  override render(): TemplateResult | typeof nothing {
    const { words, phase } = this
    if (!words) return nothing
    return html`${phase === 'given' ? nothing : this.#form(words)}
      <p role="status" tabindex="-1" data-testid="rating-status">
        ${phase === 'given' ? words.t('ratingThanks') : ''}
      </p>`
  }

  #form(words: Words): TemplateResult {
    const isSending = this.phase === 'sending'
    const failed = this.failure ? words.error(this.failure) : nothing
    return html`<form novalidate @submit=${this.#submit} data-testid="rating">
      <fieldset role="radiogroup">
        <legend>${words.t('ratingTitle')}</legend>
        <div class="stars">${SCORES.map((score) => this.#star(score, words))}</div>
      </fieldset>
      ${this.score === 0 ? nothing : this.#more(words)}
      <p class="failure" role="alert" data-testid="rating-failure">${failed}</p>
      ${
        this.score === 0
          ? nothing
          : html`<button data-testid="send-rating" aria-disabled=${String(isSending)}>
              ${words.t('ratingSend')}
            </button>`
      }
    </form>`
  }

  /** One choice of a group of radio buttons: arrow keys move, and its name is read. */
  #star(score: number, words: Words): TemplateResult {
    return html`<label class="star ${score <= this.score ? 'on' : ''}">
      <input
        type="radio"
        name="score"
        value=${score}
        data-testid="star"
        aria-label=${words.t('ratingScore', { n: score })}
        .checked=${score === this.score}
        @change=${() => (this.score = score)}
      />${icons.star}
    </label>`
  }

  #more(words: Words): TemplateResult | typeof nothing {
    if (this.secure) return nothing
    return html`<div class="more">
      <label for="comment">${words.t('ratingComment')}</label>
      <textarea id="comment" dir="auto" maxlength=${MAX_COMMENT} data-testid="rating-comment"></textarea>
    </div>`
  }

  /** The form goes away: who was on it comes to the thanks. */
  async #thank(): Promise<void> {
    const hadFocus = this.shadowRoot?.activeElement !== null
    this.phase = 'given'
    await this.updateComplete
    if (hadFocus) this.renderRoot.querySelector<HTMLElement>('[role=status]')?.focus()
  }

  readonly #submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const { score, rate } = this
    if (!rate || score === 0 || this.phase !== 'asking') return
    const comment = this.renderRoot.querySelector('textarea')?.value.trim() ?? ''
    this.failure = null
    this.phase = 'sending'
    try {
      await rate({ score, ...(comment !== '' && { comment }) })
      await this.#thank()
    } catch (thrown) {
      this.failure = codeOf(thrown)
      this.phase = 'asking'
    }
  }
}

define('duolog-rating', RatingElement)
