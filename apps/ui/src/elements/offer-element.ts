import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import { icons } from '../icons.ts'
import { rowsOf } from '../media-plan.ts'
import type { CallMedium } from '../media-plan.ts'
import type { MessageKey } from '../messages/en.ts'
import { MEDIUM_KEYS, choices, endings, offerFacts, offerTitle } from '../offer-words.ts'
import { mayWorkWithoutCamera } from '../problems.ts'
import { offerText, peerName } from '../status.ts'
import { base, cardStyle } from '../styles.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

const ICONS: ReadonlyMap<MessageKey, TemplateResult> = new Map([
  ['offerVideo', icons.video],
  ['offerScreen', icons.screen],
  ['offerScreenOfYours', icons.screen],
])
const SEND: Readonly<Record<CallMedium, MessageKey>> = {
  Voice: 'sendVoice',
  Video: 'sendVideo',
  Screen: 'sendScreen',
}

const iconOf = (rows: ReturnType<typeof rowsOf>): TemplateResult => ICONS.get(offerTitle(rows)) ?? icons.phone

/** A call that asks for an answer: who, what it means, yes or no. */
class OfferElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    state: { attribute: false },
    words: { attribute: false },
    send: { state: true },
  }
  static override styles = [
    base,
    cardStyle,
    css`
      :host {
        display: block;
      }
      .card {
        margin: 8px 12px;
        padding: 12px 14px;
      }
      h3 {
        font-size: 16px;
        display: flex;
        align-items: center;
        gap: 8px;
        overflow-wrap: anywhere;
      }
      ul {
        margin-block: 6px;
        font-size: 14px;
      }
      label {
        display: flex;
        align-items: center;
        gap: 8px;
        min-block-size: 32px;
        font-size: 14px;
        overflow-wrap: anywhere;
      }
      .buttons {
        margin-block-start: 10px;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare state: Conversation | undefined
  declare words: Words | undefined
  declare send: Readonly<Partial<Record<CallMedium, boolean>>>

  constructor() {
    super()
    this.send = {}
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('state')) return
    const before = changed.get('state')
    const { state } = this
    if (state?.offer?.offer !== before?.offer?.offer)
      this.send = { Voice: true, Video: state?.local?.WebRTC?.VideoCapture !== false, Screen: false }
    else if (state?.problem && state.problem !== before?.problem && mayWorkWithoutCamera(state.problem))
      this.send = { ...this.send, Video: false }
  }

  override render(): TemplateResult | typeof nothing {
    const { state, words } = this
    if (!words) return nothing
    const shown = state?.offer
    const rows = state && shown ? rowsOf(shown.offer, state.media) : []
    const nick = state ? peerName(state, words) : ''
    const title = state ? offerText(state, words) : ''
    return html`
      <div class="hidden-text" role="alert">${title}</div>
      ${
        shown
          ? html`<section
              class="card"
              tabindex="-1"
              aria-label=${title}
              data-testid="offer-card"
              data-status=${shown.status}
            >
              <h3>${iconOf(rows)}<span>${title}</span></h3>
              <ul>
                ${offerFacts(rows).map((key) => html`<li>${words.t(key, { nick })}</li>`)}
                ${endings(rows).map(
                  (medium) => html`<li>${words.t('rowStops', { medium: words.t(MEDIUM_KEYS[medium]) })}</li>`,
                )}
              </ul>
              ${
                shown.status === 'asking'
                  ? this.#decision(choices(rows), nick, words)
                  : html`<p role="status">
                      ${words.t(shown.status === 'preparing' ? 'offerPreparing' : 'offerAnswered')}
                    </p>`
              }
            </section>`
          : nothing
      }
    `
  }

  override focus(): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('.card')?.focus())
  }

  #decision(media: readonly CallMedium[], nick: string, words: Words): TemplateResult {
    return html`
      ${media.map(
        (medium) =>
          html`<label
            ><input
              type="checkbox"
              data-testid="offer-${medium.toLowerCase()}"
              .checked=${this.send[medium] === true}
              @change=${this.#choose(medium)}
            />${words.t(SEND[medium], { nick })}</label
          >`,
      )}
      <div class="buttons">
        <button data-testid="decline-offer" @click=${() => this.session?.calls.decline()}>
          ${words.t('decline')}
        </button>
        <button
          class="primary"
          data-testid="accept-offer"
          @click=${() => this.session?.calls.accept(this.send)}
        >
          ${words.t('accept')}
        </button>
      </div>
    `
  }

  #choose(medium: CallMedium): (event: Event) => void {
    return ({ currentTarget }) => {
      if (currentTarget instanceof HTMLInputElement)
        this.send = { ...this.send, [medium]: currentTarget.checked }
    }
  }
}

define('duolog-offer', OfferElement)
