import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { MediaState, MediaStateDetails, Slot } from 'parley-sdk'
import { base, define } from '../../../ui/src/index.ts'
import { SLOTS, carriedMedia, declaredMedia } from '../timeline.ts'
import type { Moment } from '../timeline.ts'
import { panel } from './panel-style.ts'

/** Media of both parties: what the log declares, what the engines say that they carry, and what was seen to flow. */
class MediaElement extends LitElement {
  static override properties = { machines: { attribute: false } }
  static override styles = [
    base,
    panel,
    css`
      .on {
        color: var(--p-accent);
        font-weight: 700;
      }
      .off {
        color: var(--p-muted);
      }
      td,
      th {
        padding-inline: 5px;
        font-size: 12.5px;
      }
      .unlike {
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      p.note {
        margin-block-start: 8px;
      }
    `,
  ]

  declare machines: Moment['machines'] | undefined

  override render(): TemplateResult {
    const contexts = SLOTS.map((slot) => ({ slot, context: this.machines?.[slot].get('media')?.last.context ?? null }))
    const columns = contexts.map(({ slot, context }) => ({ slot, runs: context !== null, declared: declaredMedia(context), carried: carriedMedia(context) }))
    const media = [...new Set(columns.flatMap(({ declared, carried }) => [...Object.keys(declared ?? {}), ...Object.keys(carried ?? {})]))]
    return html`
      <h2>Media</h2>
      <div class="scroll">
        <table data-testid="media">
          <thead>
            <tr>
              <td></td>
              ${SLOTS.map((slot) => html`<th scope="colgroup" colspan="3">${slot}</th>`)}
            </tr>
            <tr>
              <th scope="col">medium</th>
              ${SLOTS.map(
                () =>
                  html`<th scope="col">declared</th>
                    <th scope="col">carried</th>
                    <th scope="col">observed</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${media.map(
              (medium) =>
                html`<tr>
                  <th scope="row">${medium} <span class="note">${engineOf(medium, columns)}</span></th>
                  ${columns.map((column) => cells(medium, column))}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="note">
        Declared: what the log says, seen from each party. Carried: what its engines report to the machine; “?” while they change. Observed: what really flows; engines do not tell
        the machines that yet.
      </p>
    `
  }
}

interface Column {
  readonly slot: Slot
  readonly runs: boolean
  readonly declared: MediaState | null
  readonly carried: MediaState | null
}

function cells(medium: string, { runs, declared, carried }: Column): TemplateResult {
  if (!runs) return html`<td colspan="3" class="off">not started</td>`
  const isUnlike = carried === null || direction(declared?.[medium]) !== direction(carried[medium])
  return html`
    <td data-declared>${shown(declared?.[medium])}</td>
    <td class=${isUnlike ? 'unlike' : ''}>${carried === null ? html`<span title="uncertain">?</span>` : shown(carried[medium])}</td>
    <td class="off">not told</td>
  `
}

const engineOf = (medium: string, columns: readonly Column[]): string => columns.map(({ declared }) => declared?.[medium]?.engine).find((engine) => engine !== undefined) ?? ''

const direction = (details: MediaStateDetails | undefined): string => `${details?.tx === true} ${details?.rx === true}`

function shown(details: MediaStateDetails | undefined): TemplateResult {
  const part = (isOn: boolean, arrow: string, words: string): TemplateResult =>
    html`<span class=${isOn ? 'on' : 'off'}><span aria-hidden="true">${isOn ? arrow : '–'}</span>${isOn ? html`<span class="hidden-text">${words} </span>` : nothing}</span>`
  const { tx = false, rx = false } = details ?? {}
  return html`${part(tx, '↑', 'sends')}${part(rx, '↓', 'receives')}${tx || rx ? nothing : html`<span class="hidden-text">off</span>`}`
}

define('inspect-media', MediaElement)
