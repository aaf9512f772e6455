import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { base, define } from '../../../ui/src/index.ts'
import { ancestry } from '../charts.ts'
import type { ChartState } from '../charts.ts'
import { deepest, readableEvent } from '../timeline.ts'
import type { MachineMoment } from '../timeline.ts'
import { arrows, curve } from './arrows.ts'
import type { Box } from './arrows.ts'
import { chartStyle } from './chart-style.ts'
import { panel } from './panel-style.ts'

/** More ways are folded away. */
const MOST_WAYS = 3

/** One machine's states as nested boxes: what is active, where it came from, and what may happen next. */
class ChartElement extends LitElement {
  static override properties = {
    name: {},
    chart: { attribute: false },
    moment: { attribute: false },
    selected: { state: true },
    drawn: { state: true },
  }
  static override styles = [base, panel, chartStyle]

  declare name: string
  declare chart: ChartState | undefined
  declare moment: MachineMoment | undefined
  /** State whose transitions are listed; null: the active one. */
  declare selected: string | null
  declare drawn: { readonly taken: string | null; readonly possible: readonly string[] }
  readonly #resized = new ResizeObserver(() => this.#draw())

  constructor() {
    super()
    this.name = ''
    this.selected = null
    this.drawn = { taken: null, possible: [] }
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#resized.observe(this)
  }

  override disconnectedCallback(): void {
    this.#resized.disconnect()
    super.disconnectedCallback()
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('moment') || changed.has('selected') || changed.has('chart')) this.#draw()
  }

  override render(): TemplateResult | typeof nothing {
    const { chart, moment, drawn } = this
    if (!chart) return nothing
    const path = this.selected ?? deepest(moment?.last.active ?? [])
    return html`
      <header>
        <h3>${this.name}</h3>
        <span class="value" data-testid="value"
          >${moment ? deepest(moment.last.active).replaceAll('.', ' · ') : 'not started'}</span
        >
      </header>
      <div class="canvas ${moment ? '' : 'empty'}">
        <ul class="states" aria-label="States of ${this.name}">
          ${chart.children.map((state) => this.#state(state))}
        </ul>
        <svg class="arrows" aria-hidden="true">${arrows(drawn.taken, drawn.possible)}</svg>
      </div>
      <p class="last" data-testid="last-event">${moment ? this.#last(moment) : nothing}</p>
      <details aria-label=${`Transitions of ${this.name}`} @toggle=${this.#draw}>
        <summary>What leads on from ${path || 'here'}</summary>
        ${this.#transitions(path)}
      </details>
    `
  }

  #state(state: ChartState): TemplateResult {
    const { moment } = this
    const isActive = moment?.last.active.includes(state.path) ?? false
    const isBefore = !isActive && state.path === deepest(moment?.before ?? [])
    const select = (): void => void (this.selected = this.selected === state.path ? null : state.path)
    const button = (kind: string): TemplateResult =>
      html`<button
        type="button"
        class="${kind} ${isBefore ? 'before' : ''} ${state.isFinal ? 'final' : ''}"
        data-path=${state.path}
        aria-current=${isActive ? 'true' : nothing}
        aria-pressed=${String(this.selected === state.path)}
        @click=${select}
      >
        ${state.name}
      </button>`
    if (state.children.length === 0) return html`<li class="atomic">${button('state')}</li>`
    return html`<li class="composite ${isActive ? 'active' : ''}">
      ${button('name')}
      <ul>
        ${state.children.map((child) => this.#state(child))}
      </ul>
    </li>`
  }

  #last({ last, moved, before }: MachineMoment): TemplateResult {
    const shown = last.isIgnored ? last : (moved ?? last)
    const event = readableEvent(shown.event.type)
    if (last.isIgnored) return html`<code>${event}</code> <span class="badge note">ignored</span>`
    return html`<code>${event}</code>: ${deepest(before) || 'start'} → ${deepest(shown.active)}`
  }

  #transitions(path: string): TemplateResult {
    const states = this.chart ? ancestry(this.chart, path) : []
    return html`<div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">on</th>
            <th scope="col">goes to</th>
            <th scope="col">of</th>
          </tr>
        </thead>
        <tbody>
          ${states.flatMap((state) =>
            state.transitions.map(
              ({ event, ways }) =>
                html`<tr>
                  <td><code>${event}</code></td>
                  <td>${waysOf(ways)}</td>
                  <td>${state.path || 'any state'}</td>
                </tr>`,
            ),
          )}
        </tbody>
      </table>
    </div>`
  }

  readonly #draw = (): void => {
    const { moment, chart } = this
    if (!chart) return
    const now = deepest(moment?.last.active ?? [])
    const was = deepest(moment?.before ?? [])
    const from = this.#box(was)
    const to = was === now ? from : this.#box(now)
    const taken = moment?.moved && from && to ? curve(from, to) : null
    const shown = this.selected
    const possible = shown === null ? [] : this.#possible(shown)
    if (taken === this.drawn.taken && possible.join() === this.drawn.possible.join()) return
    this.drawn = { taken, possible }
  }

  /** Curves to where the selected state's own transitions may lead. */
  #possible(path: string): string[] {
    const from = this.#box(path)
    const own = this.chart ? ancestry(this.chart, path)[0] : undefined
    const targets = new Set(own?.transitions.flatMap(({ ways }) => ways.flatMap(({ targets }) => targets)))
    return [...targets].flatMap((target) => {
      const to = target === path ? from : this.#box(target)
      return from && to ? [curve(from, to)] : []
    })
  }

  #box(path: string): Box | null {
    const canvas = this.renderRoot.querySelector('.canvas')?.getBoundingClientRect()
    const box =
      path === ''
        ? undefined
        : this.renderRoot.querySelector(`[data-path="${CSS.escape(path)}"]`)?.getBoundingClientRect()
    return canvas && box
      ? { x: box.x - canvas.x, y: box.y - canvas.y, width: box.width, height: box.height }
      : null
  }
}

const wayText = ({
  guard,
  targets,
}: {
  readonly guard: string
  readonly targets: readonly string[]
}): TemplateResult =>
  html`<span
    >${targets.length === 0 ? 'stays' : targets.join(', ')}${
      guard ? html` <span class="note">if ${guard}</span>` : nothing
    }</span
  >`

const waysOf = (
  ways: readonly { readonly guard: string; readonly targets: readonly string[] }[],
): TemplateResult =>
  ways.length <= MOST_WAYS
    ? html`<div class="ways">${ways.map(wayText)}</div>`
    : html`<details aria-label="Transitions with guards">
        <summary>the first that fits of ${ways.length}</summary>
        <div class="ways">${ways.map(wayText)}</div>
      </details>`

define('inspect-chart', ChartElement)
