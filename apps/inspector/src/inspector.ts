import { LitElement, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { ObserverController, base, define, theme } from '../../ui/src/index.ts'
import { CHARTS } from './charts.ts'
import './elements/chart-element.ts'
import './elements/counts-element.ts'
import './elements/demo-element.ts'
import './elements/log-element.ts'
import './elements/media-element.ts'
import { MoveEvent } from './elements/steps-element.ts'
import './elements/time-element.ts'
import { InspectorModel } from './inspector-model.ts'
import type { Source } from './inspector-model.ts'
import { inspectorStyle } from './inspector-style.ts'
import { SLOTS, deepest } from './timeline.ts'
import type { Moment } from './timeline.ts'

const SOURCES: readonly (readonly [Source, string])[] = [
  ['demo', 'Demo'],
  ['live', 'Live pages'],
  ['file', 'Recording'],
]

/**
 * The machines of both parties of a contact side by side, its log and its media, at any moment of what was
 * recorded.
 */
export class DuologInspector extends LitElement {
  static override styles = [theme, base, inspectorStyle]
  readonly model = new InspectorModel()

  constructor() {
    super()
    new ObserverController(this).watch(this.model)
    this.addEventListener('move', (event) => {
      if (event instanceof MoveEvent) this.model.moveTo(event.count)
    })
  }

  override render(): TemplateResult {
    const { model } = this
    const moment = model.moment
    return html`
      ${this.#header()}
      ${model.failure ? html`<p class="failure" role="alert">${model.failure}</p>` : nothing}
      <main>
        ${model.source === 'demo' ? this.#demo() : this.#help()}
        <inspect-time .model=${model}></inspect-time>
        <p class="hidden-text" role="status" data-testid="spoken">${spoken(moment)}</p>
        <div class="grid">
          ${SLOTS.map(
            (slot) =>
              html`<section class="party" aria-label="Machines of the ${slot}" data-testid="machines-${slot}">
                <h2>${slot === 'visitor' ? 'Visitor' : 'Agent'}</h2>
                ${[...CHARTS].map(
                  ([name, chart]) =>
                    html`<inspect-chart
                      class=${name}
                      .name=${name}
                      .chart=${chart}
                      .moment=${moment.machines[slot].get(name)}
                    ></inspect-chart>`,
                )}
              </section>`,
          )}
          <inspect-log .entries=${moment.log}></inspect-log>
          <inspect-media .machines=${moment.machines} .observed=${moment.observed}></inspect-media>
          <inspect-steps .steps=${model.steps} .cursor=${model.cursor}></inspect-steps>
          <inspect-counts .counts=${moment.counts}></inspect-counts>
        </div>
      </main>
    `
  }

  #demo(): TemplateResult {
    const { model } = this
    return html`<inspect-demo .demo=${model.demo} @restart=${() => void model.restartDemo()}></inspect-demo>`
  }

  #header(): TemplateResult {
    const { model } = this
    return html`
      <header>
        <h1><img src="./mark.svg" alt="" width="24" height="24" /> Duolog inspector</h1>
        <div class="sources" role="group" aria-label="What is shown">
          ${SOURCES.map(
            ([source, label]) =>
              html`<button
                type="button"
                aria-pressed=${String(model.source === source)}
                data-testid="source-${source}"
                @click=${() => model.show(source)}
              >
                ${label}
              </button>`,
          )}
        </div>
        ${model.contacts.length > 1 ? this.#contacts() : nothing}
        <div class="files">
          <button type="button" data-testid="save" @click=${this.#save}>Save the recording</button>
          <label class="file"
            >Load a recording<input
              type="file"
              accept="application/json,.json"
              data-testid="load"
              @change=${this.#load}
          /></label>
        </div>
      </header>
    `
  }

  #contacts(): TemplateResult {
    const { model } = this
    return html`<label
      >Contact
      <select
        data-testid="contact"
        @change=${(event: Event) => model.choose((event.target as HTMLSelectElement).value)}
      >
        ${model.contacts.map(
          (contact) =>
            html`<option value=${contact} ?selected=${contact === model.contact}>${contact}</option>`,
        )}
      </select></label
    >`
  }

  #help(): TemplateResult {
    const isLive = this.model.source === 'live'
    return html`<div class="help">
      ${
        isLive
          ? html`Pages of this service show themselves here while their address has <code>?inspect</code>:
              <a href="/visitor/?inspect" target="_blank">the visitor’s page</a>,
              <a href="/agent/?inspect&nick=Ada" target="_blank">the agent’s console</a>. Nothing leaves this
              browser, and what people write is not part of it.
              <button type="button" data-testid="clear" @click=${() => this.model.clear()}>
                Forget what was recorded
              </button>`
          : this.model.steps.length === 0
            ? html`Load a recording that was saved here.`
            : html`A recording of ${this.model.steps.length} steps.`
      }
    </div>`
  }

  readonly #save = (): void => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([this.model.save()], { type: 'application/json' }))
    link.download = 'duolog-recording.json'
    link.click()
    URL.revokeObjectURL(link.href)
  }

  readonly #load = async (event: Event): Promise<void> => {
    const input = event.target as HTMLInputElement
    const file = input.files?.[0]
    input.value = ''
    if (file) this.model.load(await file.text())
  }
}

/** The public states, for a screen reader. */
const spoken = ({ machines }: Moment): string =>
  SLOTS.map(
    (slot) =>
      `${slot} ${deepest(machines[slot].get('media')?.last.active ?? []).replace('.', ' ') || 'not started'}`,
  ).join(', ')

define('duolog-inspector', DuologInspector)
