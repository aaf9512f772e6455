import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { base, define } from '../../../ui/src/index.ts'
import type { ReadEntry } from '../timeline.ts'
import { panel } from './panel-style.ts'

/** The contact's log, as far as anybody here has read it. */
class LogElement extends LitElement {
  static override properties = { entries: { attribute: false } }
  static override styles = [
    base,
    panel,
    css`
      :host {
        --panel-height: 720px;
      }
      tr.void td,
      tr.void th {
        color: var(--p-muted);
      }
      tr.void .type {
        text-decoration: line-through;
      }
      .read {
        letter-spacing: 2px;
        color: var(--p-muted);
      }
      .body {
        color: var(--p-muted);
        overflow-wrap: anywhere;
      }
    `,
  ]

  declare entries: readonly ReadEntry[]

  constructor() {
    super()
    this.entries = []
  }

  override updated(changed: PropertyValues): void {
    if (!changed.has('entries')) return
    const scroll = this.renderRoot.querySelector('.scroll')
    if (scroll) scroll.scrollTop = scroll.scrollHeight
  }

  override render(): TemplateResult {
    return html`
      <h2>Log of the contact</h2>
      ${this.entries.length === 0 ? html`<p class="note">Nothing has been read yet.</p>` : nothing}
      <div class="scroll" tabindex="0" role="region" aria-label="Entries of the log">
        <table data-testid="log">
          <thead>
            <tr>
              <th scope="col" class="number">seq</th>
              <th scope="col">by</th>
              <th scope="col">entry</th>
              <th scope="col">read</th>
            </tr>
          </thead>
          <tbody>
            ${this.entries.map(row)}
          </tbody>
        </table>
      </div>
    `
  }
}

const row = (entry: ReadEntry): TemplateResult => html`
  <tr class=${entry.void === null ? '' : 'void'}>
    <th scope="row" class="number">${entry.seq}</th>
    <td>${entry.slot}</td>
    <td>
      <code class="type">${entry.type}</code>
      ${entry.void === null ? nothing : html`<span class="badge bad">void: ${entry.void}</span>`}
      ${entry.fact === 'committed' ? html`<span class="badge good">commit</span>` : nothing}
      <div class="body"><code>${bodyText(entry)}</code></div>
    </td>
    <td class="read" title=${`read by ${entry.readBy.join(' and ')}`}>
      <span aria-hidden="true"
        >${entry.readBy.includes('visitor') ? 'V' : '·'}${entry.readBy.includes('agent') ? 'A' : '·'}</span
      ><span class="hidden-text">by ${entry.readBy.join(' and ') || 'nobody'}</span>
    </td>
  </tr>
`

const DIRECTIONS = [
  ['tx', '↑'],
  ['rx', '↓'],
] as const

const wayText = (way: unknown): string => (way === true ? 'on' : way === false ? 'off' : String(way))

/** `Voice ↑required ↓off`. */
const mediaText = (media: object): string =>
  Object.entries(media as Readonly<Record<string, Readonly<Record<string, unknown>> | null>>)
    .filter(([medium]) => medium !== 'Sharing')
    .map(
      ([medium, details]) =>
        `${medium} ${DIRECTIONS.map(([key, arrow]) => `${arrow}${wayText(details?.[key])}`).join(' ')}`,
    )
    .join(', ')

function bodyText({ body, sizeBytes }: ReadEntry): string {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return `${sizeBytes} bytes`
  return Object.entries(body)
    .filter(([key, value]) => !(key === 'session' || (key === 'restore' && value === false)))
    .map(([key, value]) =>
      ['offer', 'target', 'answer'].includes(key) && value !== null && typeof value === 'object'
        ? mediaText(value)
        : `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join(' · ')
}

define('inspect-log', LogElement)
