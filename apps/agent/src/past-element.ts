import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { Agent, ContactSearch, FoundContact } from 'duolog/agent'
import type { ErrorCode } from 'duolog'
import { base, codeOf, define, icons, showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import { deskStyle, viewStyle } from './desk-style.ts'
import './text-log.ts'
import { viewHead } from './view-head.ts'

/** Characters that are looked for. */
const MOST_CHARACTERS = 128

/** The agent's own past contacts: searched by text, name and day, and read. */
export class PastElement extends LitElement {
  static override properties = {
    agent: { attribute: false },
    words: { attribute: false },
    found: { state: true },
    next: { state: true },
    isBusy: { state: true },
    failure: { state: true },
    open: { state: true },
  }
  static override styles = [
    base,
    deskStyle,
    viewStyle,
    css`
      :host {
        container-type: inline-size;
      }
      form {
        display: grid;
        grid-template-columns: repeat(6, minmax(0, 1fr));
        gap: 10px;
        align-items: end;
        margin-block: 12px;
      }
      form > * {
        grid-column: span 2;
      }
      form > :nth-child(-n + 2) {
        grid-column: span 3;
      }
      form button {
        min-block-size: 42px;
      }
      @container (max-width: 560px) {
        form > :not(button) {
          grid-column: span 3;
        }
        form button {
          grid-column: 1 / -1;
        }
      }
      @container (max-width: 380px) {
        form > :nth-child(n) {
          grid-column: 1 / -1;
        }
      }
      label {
        display: block;
        margin-block-end: 4px;
      }
      /* Also while the button within it has the focus. */
      input[type='date']:focus-within {
        outline: 3px solid var(--p-focus);
        outline-offset: 2px;
      }
      .results {
        display: grid;
        gap: 6px;
        margin-block: 8px;
      }
      .result {
        inline-size: 100%;
        display: grid;
        justify-content: stretch;
        gap: 2px;
        border-radius: var(--p-radius);
        text-align: start;
        font-weight: 400;
      }
      .name {
        font-weight: 700;
        overflow-wrap: anywhere;
      }
      .excerpt {
        display: block;
      }
      .about,
      .excerpt {
        font-size: 14px;
        color: var(--p-muted);
        overflow-wrap: anywhere;
      }
    `,
  ]

  declare agent: Pick<Agent, 'search' | 'read'> | null
  declare words: DeskWords | undefined
  declare found: readonly FoundContact[] | null
  declare next: string | null
  declare isBusy: boolean
  declare failure: ErrorCode | null
  /** The contact that is read. */
  declare open: FoundContact | null
  #query: ContactSearch = {}
  /** Answers of a search that another one has replaced are passed over. */
  #searches = 0

  constructor() {
    super()
    this.agent = null
    this.found = this.next = this.failure = this.open = null
    this.isBusy = false
  }

  override firstUpdated(): void {
    void this.#search({})
  }

  override focus(): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('input')?.focus())
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`<section aria-labelledby="heading" data-testid="past">
      ${viewHead(this, { title: words.t('past'), words })}
      <p class="hint">${words.t('pastHint')}</p>
      ${this.#form(words)}
      <p class="hint" role="status" data-testid="past-status">${this.#statusText(words)}</p>
      <p class="failure" role="alert">${this.failure ? words.words.error(this.failure) : ''}</p>
      ${this.open ? this.#reading(this.open, words) : this.#results(words)}
    </section>`
  }

  #form(words: DeskWords): TemplateResult {
    const field = (name: string, label: string, type: string): TemplateResult =>
      html`<div>
        <label for=${name}>${label}</label>
        <input
          id=${name}
          name=${name}
          type=${type}
          dir="auto"
          autocomplete="off"
          maxlength=${MOST_CHARACTERS}
          data-testid="past-${name}"
        />
      </div>`
    return html`<form role="search" @submit=${this.#submit}>
      ${field('text', words.t('pastText'), 'text')} ${field('name', words.t('pastName'), 'text')}
      ${field('from', words.t('pastFrom'), 'date')} ${field('to', words.t('pastTo'), 'date')}
      <button class="primary" data-testid="past-search" aria-disabled=${String(this.isBusy)}>
        ${words.t('pastSearch')}
      </button>
    </form>`
  }

  #statusText(words: DeskWords): string {
    if (this.isBusy) return words.t('pastSearching')
    if (this.found === null || this.open) return ''
    return this.found.length === 0 ? words.t('pastNone') : words.count('pastFound', this.found.length)
  }

  #results(words: DeskWords): TemplateResult {
    return html`<ul class="results">
        ${(this.found ?? []).map((contact) => this.#result(contact, words))}
      </ul>
      ${
        this.next !== null && !this.isBusy
          ? html`<button data-testid="past-more" @click=${() => void this.#more()}>
              ${words.t('pastMore')}
            </button>`
          : nothing
      }`
  }

  #result(contact: FoundContact, words: DeskWords): TemplateResult {
    const time = words.moment(Date.parse(contact.created))
    const nick = showHidden(contact.nick ?? words.words.t('visitor'))
    const about = [
      time,
      words.count('pastMessages', contact.messages),
      ...(contact.secure ? [words.words.t('encrypted')] : []),
    ]
    return html`<li>
      <button
        class="result"
        data-testid="past-result"
        data-id=${contact.id}
        @click=${() => this.#read(contact)}
      >
        <span class="name" dir="auto">${nick}</span>
        <span class="about">
          ${about.join(' · ')}
          ${
            contact.excerpt === undefined
              ? nothing
              : html`<span class="excerpt" dir="auto">${showHidden(contact.excerpt)}</span>`
          }
        </span>
      </button>
    </li>`
  }

  #reading(contact: FoundContact, words: DeskWords): TemplateResult {
    const nick = contact.nick ?? words.words.t('visitor')
    return html`<div class="head">
        <button
          class="icon flips"
          data-testid="past-back"
          aria-label=${words.t('past')}
          title=${words.t('past')}
          @click=${() => this.#unread(contact)}
        >
          ${icons.back}
        </button>
        <h3 tabindex="-1" dir="auto" data-testid="past-heading">
          ${words.t('pastRead', { nick })}, ${words.moment(Date.parse(contact.created))}
        </h3>
      </div>
      <duolog-text-log .agent=${this.agent} .contact=${contact.id} .words=${words}></duolog-text-log>`
  }

  #read(contact: FoundContact): void {
    this.open = contact
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('h3')?.focus())
  }

  /** Back to the list, where the focus was. */
  #unread({ id }: FoundContact): void {
    this.open = null
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(`[data-id='${id}']`)?.focus(),
    )
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    if (!(event.target instanceof HTMLFormElement)) return
    const given = new FormData(event.target)
    const said = (name: string): string => {
      const value = given.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    const [text, name, from, to] = [said('text'), said('name'), dayOf(said('from')), dayOf(said('to'), 1)]
    void this.#search({
      ...(text !== '' && { text }),
      ...(name !== '' && { name }),
      ...(from !== null && { from }),
      ...(to !== null && { to }),
    })
  }

  async #search(query: ContactSearch): Promise<void> {
    this.#query = query
    this.open = null
    this.found = null
    await this.#page(query)
  }

  async #more(): Promise<void> {
    if (this.next !== null) await this.#page({ ...this.#query, before: this.next })
  }

  async #page(query: ContactSearch): Promise<void> {
    const search = (this.#searches += 1)
    this.isBusy = true
    this.failure = null
    try {
      const page = await this.agent?.search(query)
      if (search !== this.#searches || !page) return
      this.found = [...(this.found ?? []), ...page.contacts]
      this.next = page.next ?? null
    } catch (thrown) {
      if (search === this.#searches) this.failure = codeOf(thrown)
    } finally {
      if (search === this.#searches) this.isBusy = false
    }
  }
}

/** Midnight of the reader's day, or of one after it; null where none was chosen. */
function dayOf(text: string, later = 0): number | null {
  const day = new Date(`${text}T00:00`)
  const at = day.setDate(day.getDate() + later)
  return Number.isNaN(at) || at < 0 ? null : at
}

define('duolog-past', PastElement)
