import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { Slot } from 'duolog'
import { ObserverController, base, define } from '../../../ui/src/index.ts'
import type { Behaviour, Demo } from '../demo.ts'
import { SLOTS } from '../timeline.ts'
import { panel } from './panel-style.ts'

const ACTIONS: readonly (readonly [string, string, (demo: Demo, slot: Slot) => void])[] = [
  ['offer-voice', 'Offer voice', (demo, slot) => demo.offer(slot, 'Voice')],
  ['offer-video', 'Offer video', (demo, slot) => demo.offer(slot, 'Video')],
  ['withdraw', 'Withdraw', (demo, slot) => demo.withdraw(slot)],
  ['hang-up', 'Hang up', (demo, slot) => demo.hangUp(slot)],
  ['write', 'Write', (demo, slot) => demo.write(slot)],
  ['cut', 'Cut the link', (demo, slot) => demo.cut(slot)],
  ['reload', 'Reload the page', (demo, slot) => demo.reload(slot)],
]
const TIMES = [
  [1_000, '+1 s'],
  [10_000, '+10 s'],
  [60_000, '+60 s'],
] as const

/** Moves the two parties of the demo, and their time. */
class DemoElement extends LitElement {
  static override properties = { demo: { attribute: false } }
  static override styles = [
    base,
    panel,
    css`
      .columns {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(340px, 100%), 1fr));
        gap: 8px 20px;
      }
      fieldset {
        border: 0;
        margin: 0;
        padding: 0;
        min-inline-size: 0;
      }
      legend {
        font-size: 13px;
        font-weight: 700;
        padding: 0;
        margin-block-end: 4px;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        align-items: center;
      }
      button,
      select {
        min-block-size: 32px;
        padding: 4px 11px;
        font-size: 13px;
      }
      select {
        font: inherit;
        font-size: 16px;
        color: var(--p-text);
        background: var(--p-surface);
        border: 1px solid var(--p-control);
        border-radius: 999px;
      }
      .news {
        font-size: 13px;
        margin-block-start: 8px;
      }
    `,
  ]

  declare demo: Demo | null
  readonly #watching = new ObserverController(this)

  override willUpdate(): void {
    this.#watching.watch(this.demo)
  }

  override render(): TemplateResult {
    const { demo } = this
    if (!demo) return html`<p class="note">Two parties are joining a contact …</p>`
    return html`
      <div class="columns">
        ${SLOTS.map((slot) => this.#party(demo, slot))}
        <fieldset>
          <legend>Both, and time</legend>
          <div class="buttons">
            <button type="button" data-testid="glare" @click=${() => demo.glare()}>Both offer at once</button>
            ${TIMES.map(
              ([ms, label]) =>
                html`<button type="button" data-testid="advance-${ms}" @click=${() => void demo.advance(ms)}>
                  ${label}
                </button>`,
            )}
            <span class="note" data-testid="now">at ${demo.nowMs / 1_000} s</span>
            <button
              type="button"
              data-testid="restart"
              @click=${() => this.dispatchEvent(new Event('restart'))}
            >
              New contact
            </button>
          </div>
          <p class="news" role="status" data-testid="news">${demo.news}</p>
        </fieldset>
      </div>
    `
  }

  #party(demo: Demo, slot: Slot): TemplateResult {
    const asked = demo.asked(slot)
    const script = (event: Event): void =>
      demo.script(slot, (event.target as HTMLSelectElement).value as Behaviour)
    return html`
      <fieldset data-testid="party-${slot}">
        <legend>${slot === 'visitor' ? 'Visitor' : 'Agent'}</legend>
        <div class="buttons">
          ${asked ? answers(demo, slot, asked) : nothing}
          ${ACTIONS.map(
            ([id, label, run]) =>
              html`<button type="button" data-testid="${id}-${slot}" @click=${() => run(demo, slot)}>
                ${label}
              </button>`,
          )}
          <select
            aria-label="How the ${slot}'s engine goes next"
            data-testid="engine-${slot}"
            @change=${script}
          >
            <option value="succeed">engine works</option>
            <option value="engine_failed">engine fails next</option>
            <option value="hang">engine hangs next</option>
          </select>
        </div>
      </fieldset>
    `
  }
}

/** The answers to the offer that asks a party for `media`. */
function answers(demo: Demo, slot: Slot, media: readonly string[]): TemplateResult {
  const asked = media.filter((medium) => medium !== 'Sharing' && medium !== 'Chat').join(', ')
  return html`<button
      type="button"
      class="primary"
      data-testid="accept-${slot}"
      @click=${() => demo.answer(slot, true)}
    >
      Accept ${asked}
    </button>
    <button
      type="button"
      class="danger"
      data-testid="reject-${slot}"
      @click=${() => demo.answer(slot, false)}
    >
      Reject
    </button>`
}

define('inspect-demo', DemoElement)
