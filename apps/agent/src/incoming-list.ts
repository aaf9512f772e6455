import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { MEDIUM_KEYS, base, cardStyle, define, icons, showHidden } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import type { ConsoleModel } from './console-model.ts'
import type { Incoming } from './incoming-offers.ts'
import { languageName, momentOf } from './field-value.ts'

const TICK_MS = 500

/** Contacts that wait for an answer, with the time that is left. */
class IncomingList extends LitElement {
  static override properties = {
    model: { attribute: false },
    words: { attribute: false },
    incoming: { attribute: false },
    isReady: { attribute: false },
  }
  static override styles = [
    base,
    cardStyle,
    css`
      :host {
        display: grid;
        gap: 8px;
      }
      .none {
        color: var(--p-muted);
        font-size: 14px;
      }
      .card {
        padding: 12px;
        display: grid;
        gap: 4px;
        font-size: 14px;
      }
      h3 {
        font-size: 15px;
        overflow-wrap: anywhere;
      }
      .question {
        display: block;
        overflow-wrap: anywhere;
        max-block-size: 6lh;
        overflow: auto;
        border-inline-start: 3px solid var(--p-accent);
        padding-inline-start: 8px;
      }
      .left {
        display: flex;
        align-items: center;
        gap: 6px;
        font-variant-numeric: tabular-nums;
      }
      .left svg {
        inline-size: 16px;
        block-size: 16px;
      }
      progress {
        appearance: none;
        inline-size: 100%;
        block-size: 4px;
        border: 0;
        border-radius: 2px;
        overflow: hidden;
        background: color-mix(in srgb, currentcolor 25%, transparent);
      }
      progress::-webkit-progress-bar {
        background: transparent;
      }
      progress::-webkit-progress-value {
        background: currentcolor;
      }
      progress::-moz-progress-bar {
        background: currentcolor;
      }
      /* Forced colours take both backgrounds away. */
      @media (forced-colors: active) {
        progress {
          forced-color-adjust: none;
          block-size: 6px;
          border: 1px solid CanvasText;
          background: Canvas;
          color: Highlight;
        }
      }
      .buttons {
        margin-block-start: 6px;
      }
    `,
  ]

  declare model: ConsoleModel | undefined
  declare words: Words | undefined
  declare incoming: readonly Incoming[]
  declare isReady: boolean
  #tick: ReturnType<typeof setInterval> | undefined

  constructor() {
    super()
    this.incoming = []
    this.isReady = false
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#stop()
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('incoming')) return
    this.#stop()
    if (this.incoming.length > 0) this.#tick = setInterval(() => this.requestUpdate(), TICK_MS)
  }

  override render(): TemplateResult | typeof nothing {
    const { model, words } = this
    if (!model || !words) return nothing
    const newest = this.incoming.at(-1)
    return html`
      <div class="hidden-text" role="alert">
        ${newest ? words.t('incomingAnnounced', { nick: newest.offered.nick ?? words.t('visitor') }) : ''}
      </div>
      ${
        this.incoming.length === 0
          ? html`<p class="none">${words.t(this.isReady ? 'incomingNone' : 'incomingPaused')}</p>`
          : nothing
      }
      ${repeat(
        this.incoming,
        ({ offered }) => offered.id,
        (one) => this.#card(one, model, words),
      )}
    `
  }

  #card(incoming: Incoming, model: ConsoleModel, words: Words): TemplateResult {
    const { offered, deadlineMs, isAnswered } = incoming
    const { id, expiresInMs } = offered
    const nick = showHidden(offered.nick ?? words.t('visitor'))
    const leftMs = Math.max(0, deadlineMs - performance.now())
    return html`
      <article
        class="card"
        aria-label=${words.t('incomingFrom', { nick })}
        data-testid="incoming"
        data-id=${id}
      >
        <h3>${words.t('incomingFrom', { nick })}</h3>
        ${factsOf(incoming, words)}
        <p class="left">
          ${icons.clock}<span>${words.t('incomingLeft', { n: Math.ceil(leftMs / 1000) })}</span>
        </p>
        <progress aria-hidden="true" max=${expiresInMs} .value=${leftMs}></progress>
        <div class="buttons">
          <button
            data-testid="decline-contact"
            aria-disabled=${String(isAnswered)}
            @click=${() => void model.decline(id)}
          >
            ${words.t('declineContact')}
          </button>
          <button
            class="primary"
            data-testid="accept-contact"
            aria-disabled=${String(isAnswered)}
            @click=${() => void model.accept(id)}
          >
            ${words.t('acceptContact')}
          </button>
        </div>
      </article>
    `
  }

  #stop(): void {
    clearInterval(this.#tick)
    this.#tick = undefined
  }
}

/** What is known of the contact: what the visitor wrote first, who has handed it on, and what is asked for. */
function factsOf({ offered, since }: Pick<Incoming, 'offered' | 'since'>, words: Words): TemplateResult {
  const { tags, lang, question, handedBy, note, later } = offered
  const wanted = wantedMedia(offered.initialOffer, words)
  const facts = [languageName(lang, words), ...tags].filter(Boolean).join(' · ')
  return html`
    ${question ? html`<p class="question" dir="auto" data-testid="question">${showHidden(question)}</p>` : nothing}
    ${
      handedBy
        ? html`<p data-testid="handed-by">
            ${words.t('incomingHandedBy', { nick: showHidden(handedBy) })}
            ${note ? html`<span class="question" dir="auto">${showHidden(note)}</span>` : nothing}
          </p>`
        : nothing
    }
    ${later ? html`<p data-testid="for-later">${words.t('incomingLater')}</p>` : nothing}
    ${wanted ? html`<p>${words.t('wants', { media: wanted })}</p>` : nothing}
    ${since === null ? nothing : html`<p>${words.t('incomingSince', { time: momentOf(since, words) })}</p>`}
    ${facts ? html`<p>${showHidden(facts)}</p>` : nothing}
  `
}

function wantedMedia(offer: Incoming['offered']['initialOffer'], words: Words): string {
  return (['Voice', 'Video', 'Screen'] as const)
    .filter((medium) => offer?.[medium] && (offer[medium].tx !== 'off' || offer[medium].rx !== 'off'))
    .map((medium) => words.t(MEDIUM_KEYS[medium]))
    .join(', ')
}

define('duolog-incoming', IncomingList)
