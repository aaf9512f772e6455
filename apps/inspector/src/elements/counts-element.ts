import { LitElement, css, html } from 'lit'
import type { TemplateResult } from 'lit'
import { base, define } from '../../../ui/src/index.ts'
import { SLOTS } from '../timeline.ts'
import type { EventCount } from '../timeline.ts'
import { panel } from './panel-style.ts'

/** How often each event came, and how often it did nothing. */
class CountsElement extends LitElement {
  static override properties = { counts: { attribute: false } }
  static override styles = [
    base,
    panel,
    css`
      .none {
        color: var(--p-muted);
      }
    `,
  ]

  declare counts: readonly EventCount[]

  constructor() {
    super()
    this.counts = []
  }

  override render(): TemplateResult {
    const ignored = this.counts.reduce((sum, count) => sum + count.ignored.visitor + count.ignored.agent, 0)
    return html`
      <h2>
        Events
        <span class="badge ${ignored > 0 ? 'note' : ''}" data-testid="ignored">${ignored} ignored</span>
      </h2>
      <div class="scroll" tabindex="0" role="region" aria-label="Counts of events">
        <table data-testid="counts">
          <thead>
            <tr>
              <th scope="col">event</th>
              ${SLOTS.map(
                (slot) =>
                  html`<th scope="col" class="number">${slot}</th>
                    <th scope="col" class="number">ignored</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${this.counts.map(
              (count) =>
                html`<tr>
                  <th scope="row"><code>${count.type}</code></th>
                  ${SLOTS.map(
                    (slot) => html`${number(count.taken[slot])}${number(count.ignored[slot], true)}`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="note">An event is ignored where the machine’s present state has no use for it.</p>
    `
  }
}

const number = (count: number, isIgnored = false): TemplateResult =>
  html`<td class="number ${count === 0 ? 'none' : ''}">
    ${
      isIgnored && count > 0
        ? html`<span class="badge note">${count}</span>`
        : count === 0
          ? html`<span aria-label="none">·</span>`
          : count
    }
  </td>`

define('inspect-counts', CountsElement)
