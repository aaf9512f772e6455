import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Agent, ReadPage, ReadText } from 'duolog/agent'
import type { ErrorCode } from 'duolog'
import { after, base, codeOf, define, showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import { deskStyle } from './desk-style.ts'

/** How often a contact that goes on is looked at. */
const LOOK_MS = 2_000
/** Texts that stay in the page of one that goes on: the newest. */
const KEPT = 500

/** Texts of a contact in which the reader has no part: nothing of it is told to those who have. */
export class TextLog extends LitElement {
  static override properties = {
    agent: { attribute: false },
    contact: {},
    words: { attribute: false },
    isLive: { attribute: false },
    texts: { state: true },
    isMore: { state: true },
    isOver: { state: true },
    isRead: { state: true },
    failure: { state: true },
  }
  static override styles = [
    base,
    deskStyle,
    css`
      :host {
        display: block;
      }
      ul {
        display: grid;
        gap: 10px;
      }
      .texts {
        padding: 12px;
        max-block-size: 50vh;
        overflow-y: auto;
        border: 1px solid var(--p-line);
        border-radius: var(--p-radius);
        background: var(--p-page);
      }
      li {
        border-inline-start: 3px solid var(--p-line);
        padding-inline-start: 10px;
      }
      li.agent {
        border-color: var(--p-accent);
      }
      .by {
        font-size: 13px;
        color: var(--p-muted);
        overflow-wrap: anywhere;
      }
      .text {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ]

  declare agent: Pick<Agent, 'read'> | null
  declare contact: string
  declare words: DeskWords | undefined
  /** It goes on: what is added is shown. */
  declare isLive: boolean
  declare texts: readonly ReadText[]
  declare isMore: boolean
  declare isOver: boolean
  declare isRead: boolean
  declare failure: ErrorCode | null
  #shown = new AbortController()
  #last = 0

  constructor() {
    super()
    this.agent = null
    this.contact = ''
    this.isLive = this.isMore = this.isOver = this.isRead = false
    this.texts = []
    this.failure = null
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#shown.abort()
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('contact') && !changed.has('agent')) return
    this.#shown.abort()
    this.#shown = new AbortController()
    this.texts = []
    this.#last = 0
    this.isMore = this.isOver = this.isRead = false
    if (this.contact !== '') void this.#follow(this.#shown.signal)
  }

  override render(): TemplateResult | typeof nothing {
    const { words, isLive } = this
    if (!words) return nothing
    return html`
      <div
        class="texts"
        tabindex="0"
        role=${isLive ? 'log' : 'region'}
        aria-label=${words.words.t('messages')}
        ?hidden=${this.texts.length === 0}
        data-testid="text-log"
      >
        <ul>
          ${repeat(
            this.texts,
            ({ seq }) => seq,
            (text) => line(text, words),
          )}
        </ul>
      </div>
      <p class="none" role="status" data-testid="text-log-status">${this.#status(words)}</p>
      <p class="failure" role="alert">${this.#failureText(words)}</p>
      ${
        this.isMore && !isLive
          ? html`<button data-testid="read-more" @click=${() => void this.#read(this.#shown.signal)}>
              ${words.t('pastReadMore')}
            </button>`
          : nothing
      }
    `
  }

  #status({ t }: DeskWords): string {
    if (this.isLive && this.isOver) return t('listenEnded')
    return this.isRead && this.texts.length === 0 && !this.isMore ? t('pastEmpty') : ''
  }

  #failureText({ t, words }: DeskWords): string {
    if (this.failure === null) return ''
    return this.failure === 'forbidden' ? t('pastSecure') : words.error(this.failure)
  }

  /** The first page; of one that goes on, all of it, and what comes. */
  async #follow(signal: AbortSignal): Promise<void> {
    let page = await this.#read(signal)
    if (!this.isLive) return
    while (page?.isMore) page = await this.#read(signal)
    if (!page?.isOver && this.failure !== 'forbidden') after(LOOK_MS, () => void this.#follow(signal), signal)
  }

  async #read(signal: AbortSignal): Promise<ReadPage | null> {
    try {
      const page = (await this.agent?.read(this.contact, { after: this.#last })) ?? null
      if (signal.aborted || !page) return null
      this.#last = page.last
      const texts = [...this.texts, ...page.texts]
      this.texts = this.isLive ? texts.slice(-KEPT) : texts
      this.isMore = page.isMore
      this.isOver = page.isOver
      this.isRead = true
      this.failure = null
      return page
    } catch (thrown) {
      if (!signal.aborted) this.failure = codeOf(thrown)
      return null
    }
  }

  /** Who reads at the end stays there. */
  override updated(changed: PropertyValues<this>): void {
    const list = this.renderRoot.querySelector('.texts')
    if (!list || !this.isLive || !changed.has('texts')) return
    if (!list.matches(':focus-within')) list.scrollTop = list.scrollHeight
  }
}

const line = ({ role, nick, text, time }: ReadText, { t, words, moment }: DeskWords): TemplateResult =>
  html`<li class=${role} data-testid="read-text">
    <p class="by" dir="auto">
      ${t('noteOf', { nick: showHidden(nick ?? words.t(role)), time: moment(Date.parse(time)) })}
    </p>
    <p class="text" dir="auto">${showHidden(text)}</p>
  </li>`

define('duolog-text-log', TextLog)
