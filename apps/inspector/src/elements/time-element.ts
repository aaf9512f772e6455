import { LitElement, css, html, svg } from 'lit'
import type { TemplateResult } from 'lit'
import { ObserverController, base, define } from '../../../ui/src/index.ts'
import type { InspectorModel } from '../inspector-model.ts'
import { eventText } from '../timeline.ts'
import { MoveEvent } from './steps-element.ts'
import { panel } from './panel-style.ts'

/** Travels through the steps of a recording. */
class TimeElement extends LitElement {
  static override properties = { model: { attribute: false } }
  readonly #watching = new ObserverController(this)
  static override styles = [
    base,
    panel,
    css`
      :host {
        padding: 8px 14px;
      }
      .row {
        display: flex;
        gap: 6px 10px;
        align-items: center;
        flex-wrap: wrap;
      }
      input[type='range'] {
        flex: 1 1 240px;
        accent-color: var(--p-accent);
        block-size: 28px;
        margin: 0;
      }
      button {
        min-block-size: 32px;
        padding: 4px 11px;
        font-size: 13px;
      }
      output {
        font-size: 13px;
        font-variant-numeric: tabular-nums;
        min-inline-size: 13em;
      }
      label {
        font-size: 13px;
        display: inline-flex;
        gap: 6px;
        align-items: center;
      }
    `,
  ]

  declare model: InspectorModel | undefined

  override willUpdate(): void {
    this.#watching.watch(this.model)
  }

  override render(): TemplateResult {
    const { model } = this
    const { cursor = 0, steps = [], isFollowing = true, isPaced = false } = model ?? {}
    const now = steps[cursor - 1]
    const isPlaying = isFollowing && cursor < steps.length
    const label = now ? `${now.slot} ${now.name}: ${eventText(now)}` : 'before the first step'
    return html`
      <div class="row" role="group" aria-label="Time travel">
        ${button('first', 'To the start', () => this.#move(0))}
        ${button('back', 'One step back', () => this.#move(cursor - 1))}
        ${button(isPlaying ? 'pause' : 'play', isPlaying ? 'Pause' : 'Play', () =>
          isPlaying ? model?.pause() : model?.play(),
        )}
        ${button('forward', 'One step forward', () => this.#move(cursor + 1))}
        ${button('last', 'To the end', () => this.#move(steps.length))}
        <input
          type="range"
          min="0"
          max=${steps.length}
          .value=${String(cursor)}
          aria-label="Step"
          aria-valuetext="Step ${cursor} of ${steps.length}, ${label}"
          data-testid="slider"
          @input=${(event: Event) => this.#move(Number((event.target as HTMLInputElement).value))}
        />
        <output data-testid="position">${cursor} / ${steps.length} · ${label}</output>
        <label
          ><input
            type="checkbox"
            .checked=${isPaced}
            data-testid="paced"
            @change=${(event: Event) => model?.pace((event.target as HTMLInputElement).checked)}
          />slowly</label
        >
      </div>
    `
  }

  #move(count: number): void {
    this.dispatchEvent(new MoveEvent(count))
  }
}

const drawn = (path: string): TemplateResult =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true">${svg`<path d=${path}></path>`}</svg>`
const icon = {
  first: drawn('M6 5v14M19 5l-9 7 9 7z'),
  back: drawn('M15 6l-8 6 8 6z'),
  play: drawn('M8 5l11 7-11 7z'),
  pause: drawn('M8 5v14M16 5v14'),
  forward: drawn('M9 6l8 6-8 6z'),
  last: drawn('M18 5v14M5 5l9 7-9 7z'),
} as const

const button = (name: keyof typeof icon, label: string, run: () => void): TemplateResult =>
  html`<button
    type="button"
    data-testid=${name === 'pause' ? 'play' : name}
    aria-label=${label}
    @click=${run}
  >
    ${icon[name]}
  </button>`

define('inspect-time', TimeElement)
