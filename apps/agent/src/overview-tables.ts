/** Parts of the overview that show what the service has said. */
import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { BusyAgent, DeskOverview, WaitingContact } from 'duolog/agent'
import { showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'

const STATES = {
  ready: 'stateReady',
  busy: 'stateBusy',
  paused: 'statePaused',
} as const

export function figures(
  { totals, longestWaitMs, lastHour }: DeskOverview,
  { t, span }: DeskWords,
): TemplateResult {
  const { waitMs, handlingMs } = lastHour
  const unknown = '–'
  const rows: readonly (readonly [string, string | number, string])[] = [
    [t('overviewWaiting'), totals.waiting, 'waiting'],
    [t('overviewLongest'), totals.waiting > 0 ? span(longestWaitMs) : unknown, 'longest'],
    [t('overviewReady'), totals.ready, 'ready'],
    [t('overviewOpen'), totals.open, 'open'],
    [t('overviewWait'), waitMs === undefined ? unknown : span(waitMs), 'wait'],
    [t('overviewHandling'), handlingMs === undefined ? unknown : span(handlingMs), 'handling'],
    [t('overviewEnded'), lastHour.ended, 'ended'],
  ]
  return html`<dl>
    ${rows.map(
      ([name, value, id]) =>
        html`<div>
          <dt>${name}</dt>
          <dd data-testid="figure-${id}">${value}</dd>
        </div>`,
    )}
  </dl>`
}

export const most = (all: number, shown: number, { t }: DeskWords): TemplateResult | typeof nothing =>
  all > shown ? html`<p class="hint">${t('overviewMost', { n: shown })}</p>` : nothing

export const waitingRow = ({ nick, tags, waitedMs }: WaitingContact, words: DeskWords): TemplateResult =>
  html`<tr data-testid="overview-waiting">
    <th scope="row" dir="auto">${showHidden(nick ?? words.words.t('visitor'))}</th>
    <td dir="auto">${tags.map(showHidden).join(', ')}</td>
    <td class="number">${words.span(waitedMs)}</td>
  </tr>`

export const agentRow = (
  { nick, state, tags, contacts, capacity }: BusyAgent,
  { t }: DeskWords,
): TemplateResult =>
  html`<tr data-testid="overview-agent">
    <th scope="row" dir="auto">${showHidden(nick)}</th>
    <td>${t(STATES[state])}</td>
    <td class="number">${contacts} / ${capacity}</td>
    <td dir="auto">${tags.map(showHidden).join(', ')}</td>
  </tr>`

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly TemplateResult[]
  /** Said where there is no row. */
  readonly none: string
}

/** A table that scrolls by itself where it is too wide. */
export function table({ name, columns, rows, none }: Table): TemplateResult {
  return html`<h3>${name}</h3>
    ${
      rows.length === 0
        ? html`<p class="none">${none}</p>`
        : html`<div class="table" tabindex="0" role="region" aria-label=${name}>
            <table>
              <thead>
                <tr>
                  ${columns.map((column) => html`<th scope="col">${column}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${rows}
              </tbody>
            </table>
          </div>`
    }`
}
