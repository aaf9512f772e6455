/** One machine of both parties of the demo: for a page that explains it. */
import { LitElement, css, html } from 'lit'
import type { TemplateResult } from 'lit'
import { ObserverController, base, define, theme } from '../../ui/src/index.ts'
import { CHARTS } from './charts.ts'
import './elements/chart-element.ts'
import './elements/demo-element.ts'
import './elements/time-element.ts'
import { MoveEvent } from './elements/steps-element.ts'
import { InspectorModel } from './inspector-model.ts'
import { SLOTS } from './timeline.ts'

export class DuologLiveChart extends LitElement {
  static override properties = { machine: {} }
  static override styles = [
    theme,
    base,
    css`
      :host,
      .parties {
        display: grid;
        gap: 12px;
      }
      .parties {
        grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr));
        align-items: start;
      }
      section {
        min-inline-size: 0;
      }
    `,
  ]

  /** Its id in stately.config.json. */
  declare machine: string
  readonly model = new InspectorModel()

  constructor() {
    super()
    this.machine = 'media'
    new ObserverController(this).watch(this.model)
    this.addEventListener('move', (event) => {
      if (event instanceof MoveEvent) this.model.moveTo(event.count)
    })
  }

  override render(): TemplateResult {
    const { model, machine } = this
    const { machines } = model.moment
    return html`
      <inspect-demo .demo=${model.demo} @restart=${() => void model.restartDemo()}></inspect-demo>
      <inspect-time .model=${model}></inspect-time>
      <div class="parties">
        ${SLOTS.map(
          (slot) =>
            html`<section aria-label="Machine of the ${slot}" data-testid="live-${slot}">
              <h3>${slot === 'visitor' ? 'Visitor' : 'Agent'}</h3>
              <inspect-chart
                .name=${machine}
                .chart=${CHARTS.get(machine)}
                .moment=${machines[slot].get(machine)}
              ></inspect-chart>
            </section>`,
        )}
      </div>
    `
  }
}

define('duolog-live-chart', DuologLiveChart)
