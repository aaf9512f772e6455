import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import { inCall } from '../media-plan.ts'
import { peerName } from '../status.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { callControls } from './call-controls.ts'
import type { Control } from './call-controls.ts'
import { define } from './define.ts'
import './devices-element.ts'
import type { DevicesElement } from './devices-element.ts'

/** Buttons of a call. */
export class CallBarElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    state: { attribute: false },
    words: { attribute: false },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
      }
      .bar {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        gap: 4px;
        padding: 6px 10px;
      }
      /* All buttons of a call with video and screen stand in one row. */
      @media (max-width: 340px) {
        .bar {
          gap: 4px 1px;
          padding-inline: 4px;
        }
      }
      button.icon {
        color: var(--p-accent);
      }
      button.icon[aria-pressed='true'] {
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      button.icon.danger {
        color: var(--p-on-danger);
      }
      .push {
        flex: 1;
      }
      .calling {
        flex: 1 0 auto;
        font-size: 14px;
        color: var(--p-muted);
        padding-inline: 6px;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare state: Conversation | undefined
  declare words: Words | undefined

  override render(): TemplateResult | typeof nothing {
    const { session, state, words } = this
    if (!session || !state || !words) return nothing
    const isHere = state.stage === 'talking' && state.peer?.presence === 'here'
    if (state.stage !== 'talking' || state.isElsewhere || (!isHere && !inCall(state.media))) return nothing
    const isEnding = state.stopping?.isCall === true
    const shown = callControls(session, state, this.#openDevices).filter(
      ({ isShown, asks }) => isShown && !(asks && state.request) && !isEnding,
    )
    const said = isEnding
      ? words.t('endingCall')
      : state.request
        ? words.t('calling', { nick: peerName(state, words) })
        : ''
    return html`
      <div class="bar" role="group" aria-label=${words.t('call')} data-testid="call-bar">
        ${repeat(
          shown,
          ({ testId }) => testId,
          (control) => this.#button(control, words),
        )}
        <span class="calling" role="status" ?hidden=${!said}>${said}</span>
        <duolog-devices .desk=${session.devices} .devices=${state.devices} .words=${words}></duolog-devices>
        ${
          state.request && !isEnding
            ? html`<button data-testid="cancel-call" @click=${() => session.calls.cancel()}>
                ${words.t('cancel')}
              </button>`
            : nothing
        }
      </div>
    `
  }

  /** Focuses what ends the call, or takes an own one back; false where there is none. */
  focusEnd(): boolean {
    const end =
      this.renderRoot.querySelector<HTMLElement>('[data-testid=cancel-call]') ??
      this.renderRoot.querySelector<HTMLElement>('[data-testid=hangup]')
    end?.focus()
    return end !== null
  }

  readonly #openDevices = (): void =>
    void this.renderRoot.querySelector<DevicesElement>('duolog-devices')?.open()

  #button({ testId, words: key, icon, run, isDanger, isPressed }: Control, words: Words): TemplateResult {
    const label = words.t(key)
    const pressed = isPressed === undefined ? nothing : String(isPressed)
    return html`<button
      class="icon ${isDanger ? 'danger' : ''}"
      data-testid=${testId}
      aria-label=${label}
      title=${label}
      aria-pressed=${pressed}
      @click=${run}
    >
      ${icon}
    </button>`
  }
}

define('duolog-call-bar', CallBarElement)
