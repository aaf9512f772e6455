import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { MediaState, MediaStateDetails, Slot } from 'duolog'
import { base, define } from '../../../ui/src/index.ts'
import { SLOTS, carriedMedia, declaredMedia } from '../timeline.ts'
import type { Moment, ObservedMedia } from '../timeline.ts'
import { panel } from './panel-style.ts'

/**
 * Media of both parties: what the log declares, what the engines say that they carry, and what was seen to
 * flow.
 */
class MediaElement extends LitElement {
  static override properties = { machines: { attribute: false }, observed: { attribute: false } }
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
  declare observed: Moment['observed'] | undefined

  override render(): TemplateResult {
    const contexts = SLOTS.map((slot) => ({
      slot,
      context: this.machines?.[slot].get('media')?.last.context ?? null,
    }))
    const columns = contexts.map(({ slot, context }) => ({
      slot,
      runs: context !== null,
      declared: declaredMedia(context),
      carried: carriedMedia(context),
      observed: this.observed?.[slot] ?? {},
    }))
    const media = [
      ...new Set(
        columns.flatMap(({ declared, carried }) => [
          ...Object.keys(declared ?? {}),
          ...Object.keys(carried ?? {}),
        ]),
      ),
    ]
    return html`
      <h2>Media</h2>
      <div class="scroll">
        <table data-testid="media">
          ${HEAD}
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
      ${NOTE}
    `
  }
}

const HEAD = html`<thead>
  <tr>
    <td></td>
    ${SLOTS.map((slot) => html`<th scope="colgroup" colspan="3">${slot}</th>`)}
  </tr>
  <tr>
    <th scope="col">medium</th>
    ${SLOTS.map(() => ['declared', 'carried', 'observed'].map((name) => html`<th scope="col">${name}</th>`))}
  </tr>
</thead>`

const NOTE = html`<p class="note">
  Declared: what the log says, seen from each party. Carried: what its engines report to the machine; “?”
  while they change. Observed: what really flows; “–” where engines do not look, as at Native's media.
</p>`

interface Column {
  readonly slot: Slot
  readonly runs: boolean
  readonly declared: MediaState | null
  readonly carried: MediaState | null
  readonly observed: ObservedMedia
}

function cells(medium: string, { runs, declared, carried, observed }: Column): TemplateResult {
  if (!runs) return html`<td colspan="3" class="off">not started</td>`
  const isUnlike = carried === null || direction(declared?.[medium]) !== direction(carried[medium])
  return html`
    <td data-declared>${shown(declared?.[medium])}</td>
    <td class=${isUnlike ? 'unlike' : ''}>
      ${carried === null ? html`<span title="uncertain">?</span>` : shown(carried[medium])}
    </td>
    ${seen(declared?.[medium], observed[medium])}
  `
}

/** What flows of what is declared on; media that are off are not looked at. */
function seen(
  declared: MediaStateDetails | undefined,
  flows: ObservedMedia[string] | undefined,
): TemplateResult {
  const isOn = declared?.tx === true || declared?.rx === true
  if (!isOn || !flows)
    return html`<td class="off" data-observed>
      –<span class="hidden-text">${isOn ? 'not looked at' : 'off'}</span>
    </td>`
  const isUnlike = (declared.tx && flows.tx === false) || (declared.rx && flows.rx === false)
  return html`<td data-observed class=${isUnlike ? 'unlike' : ''}>
    ${shown({ tx: flows.tx === true, rx: flows.rx === true })}
  </td>`
}

const engineOf = (medium: string, columns: readonly Column[]): string =>
  columns.map(({ declared }) => declared?.[medium]?.engine).find((engine) => engine !== undefined) ?? ''

const direction = (details: MediaStateDetails | undefined): string =>
  `${details?.tx === true} ${details?.rx === true}`

function shown(details: MediaStateDetails | undefined): TemplateResult {
  const part = (isOn: boolean, arrow: string, words: string): TemplateResult =>
    html`<span class=${isOn ? 'on' : 'off'}
      ><span aria-hidden="true">${isOn ? arrow : '–'}</span
      >${isOn ? html`<span class="hidden-text">${words} </span>` : nothing}</span
    >`
  const { tx = false, rx = false } = details ?? {}
  return html`${part(tx, '↑', 'sends')}${part(rx, '↓', 'receives')}${
    tx || rx ? nothing : html`<span class="hidden-text">off</span>`
  }`
}

define('inspect-media', MediaElement)
