import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { isBad, levelOf, qualityText } from '../call-quality.ts'
import type { CallQuality, QualityLevel } from '../call-quality.ts'
import { base } from '../styles.ts'
import { icons } from '../icons.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

const BARS: Readonly<Record<QualityLevel, number>> = { good: 3, fair: 2, poor: 1, silent: 0 }

/** How well a call is heard and seen: three bars, and words for what is wrong. */
class QualityElement extends LitElement {
  static override properties = { quality: { attribute: false }, nick: {}, words: { attribute: false } }
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        align-items: center;
      }
      .bars {
        display: flex;
      }
      svg {
        inline-size: 18px;
        block-size: 14px;
        fill: currentColor;
        stroke: none;
        flex: none;
      }
      .dim {
        opacity: 0.3;
      }
      .said {
        margin: 0;
      }
      .said svg {
        inline-size: 16px;
        block-size: 16px;
        margin-inline-end: 6px;
        vertical-align: text-bottom;
        fill: none;
        stroke: currentColor;
        stroke-width: 2;
      }
      .said:not(:empty) {
        margin-inline-start: 8px;
      }
    `,
  ]

  declare quality: CallQuality | null | undefined
  declare nick: string
  declare words: Words | undefined

  constructor() {
    super()
    this.nick = ''
  }

  override render(): TemplateResult {
    const { quality, words } = this
    const level = quality && levelOf(quality)
    const label = words && quality ? qualityText(quality, this.nick, words) : ''
    return html`
      ${
        level
          ? html`<span
              role="img"
              aria-label=${label}
              title=${label}
              data-testid="quality"
              data-level=${level}
              class="bars"
              >${bars(BARS[level])}</span
            >`
          : nothing
      }
      <p class="said" role="status">${quality && isBad(quality) ? html`${icons.alert}${label}` : ''}</p>
    `
  }
}

const bars = (lit: number): TemplateResult => html`
  <svg viewBox="0 0 18 14" aria-hidden="true">
    <rect class=${lit < 1 ? 'dim' : ''} x="0" y="9" width="4" height="5" rx="1" />
    <rect class=${lit < 2 ? 'dim' : ''} x="7" y="5" width="4" height="9" rx="1" />
    <rect class=${lit < 3 ? 'dim' : ''} x="14" y="0" width="4" height="14" rx="1" />
  </svg>
`

define('duolog-quality', QualityElement)
