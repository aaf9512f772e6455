import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { base, define } from '../../../ui/src/index.ts'
import type { Step } from '../recording.ts'
import { deepest, eventText } from '../timeline.ts'
import { panel } from './panel-style.ts'

/** A moment to show: after the first `count` steps. */
export class MoveEvent extends Event {
  readonly count: number

  constructor(count: number) {
    super('move', { bubbles: true, composed: true })
    this.count = count
  }
}

/** Rows in the document; those further away are left out. */
const MOST_ROWS = 400

/** All steps in order; a click goes to the moment after one. */
class StepsElement extends LitElement {
  static override properties = { steps: { attribute: false }, cursor: { attribute: false } }
  static override styles = [
    base,
    panel,
    css`
      tr.now td {
        background: var(--p-accent-soft);
        color: var(--p-on-accent-soft);
      }
      tr.later td {
        color: var(--p-muted);
      }
      tbody tr {
        cursor: pointer;
      }
      button.go {
        min-block-size: 24px;
        min-inline-size: 34px;
        padding: 0 6px;
        font-size: 12.5px;
        border-color: transparent;
        justify-content: flex-end;
      }
      td {
        white-space: nowrap;
      }
    `,
  ]

  declare steps: readonly Step[]
  declare cursor: number

  constructor() {
    super()
    this.steps = []
    this.cursor = 0
  }

  override updated(changed: PropertyValues): void {
    if (!changed.has('cursor') && !changed.has('steps')) return
    const scroll = this.renderRoot.querySelector('.scroll')
    const now = this.renderRoot.querySelector<HTMLElement>('tr.now')
    if (!scroll || !now) return
    const above = now.offsetTop - scroll.scrollTop
    if (above < 40 || above > scroll.clientHeight - 60)
      scroll.scrollTop = now.offsetTop - scroll.clientHeight / 2
  }

  override render(): TemplateResult {
    const first = Math.max(0, Math.min(this.cursor - MOST_ROWS / 2, this.steps.length - MOST_ROWS))
    return html`
      <h2>Steps</h2>
      <div class="scroll" tabindex="0" role="region" aria-label="Recorded steps">
        <table data-testid="steps">
          <thead>
            <tr>
              <th scope="col" class="number">step</th>
              <th scope="col">party</th>
              <th scope="col">to</th>
              <th scope="col">event</th>
              <th scope="col">then</th>
            </tr>
          </thead>
          <tbody>
            ${this.steps
              .slice(first, first + MOST_ROWS)
              .map((step, index) => this.#row(step, first + index + 1))}
          </tbody>
        </table>
      </div>
    `
  }

  #row(step: Step, count: number): TemplateResult {
    const state = count === this.cursor ? 'now' : count > this.cursor ? 'later' : ''
    return html`<tr
      class=${state}
      aria-current=${state === 'now' ? 'step' : nothing}
      @click=${() => this.dispatchEvent(new MoveEvent(count))}
    >
      <td class="number">
        <button type="button" class="go" aria-label="Go to step ${count}">${count}</button>
      </td>
      <td>${step.slot}</td>
      <td>${step.name}</td>
      <td><code>${eventText(step)}</code></td>
      <td>${step.isIgnored ? html`<span class="badge note">ignored</span>` : deepest(step.active)}</td>
    </tr>`
  }
}

define('inspect-steps', StepsElement)
