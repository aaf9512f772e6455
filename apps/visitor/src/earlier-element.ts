import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { ObserverController, base, define, icons, showHidden } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import { EarlierContacts } from './earlier-contacts.ts'
import type { EarlierSource } from './earlier-contacts.ts'
import { failureText } from './identity.ts'

/** The visitor's contacts that are over, and what was said in one of them. Loaded when somebody asks for it. */
class EarlierElement extends LitElement {
  static override properties = {
    words: { attribute: false },
    source: { attribute: false },
    first: { attribute: false },
    isIdentified: { attribute: false },
  }
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        flex: 1;
        min-block-size: 0;
      }
      .head {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 8px 12px 0;
      }
      h2 {
        font-size: 17px;
        line-height: 1.25;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 12px 16px;
        display: grid;
        gap: 8px;
        overflow-y: auto;
      }
      li button {
        inline-size: 100%;
        justify-content: space-between;
        border-radius: var(--p-radius);
        text-align: start;
      }
      li time {
        font-weight: 400;
        color: var(--p-muted);
      }
      li .dash {
        display: none;
      }
      duolog-messages {
        flex: 1;
        min-block-size: 120px;
      }
      .note,
      .more {
        margin: 8px 16px;
      }
    `,
  ]

  declare words: Words | undefined
  declare source: EarlierSource | undefined
  /** The site says who the visitor is. */
  declare isIdentified: boolean
  /** Id of the one that is opened at once. */
  declare first: string | null | undefined
  #earlier: EarlierContacts | undefined
  readonly #watch = new ObserverController(this)

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('source') || !this.source) return
    this.#earlier = new EarlierContacts(this.source)
    this.#watch.watch(this.#earlier)
    void this.#earlier.begin(this.first ?? '')
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    const earlier = this.#earlier
    if (!words || !earlier) return nothing
    return html`
      <div class="head">
        <button
          class="icon flips"
          data-testid="earlier-back"
          aria-label=${words.t('goBack')}
          title=${words.t('goBack')}
          @click=${this.#back}
        >
          ${icons.back}
        </button>
        <h2>${earlier.opened ? this.#title(earlier.opened.contact, words) : words.t('earlierContacts')}</h2>
      </div>
      ${earlier.opened ? this.#messages(earlier, words) : this.#list(earlier, words)}
      <div role="status">
        ${earlier.isLoading ? html`<p class="note">${words.t('loading')}</p>` : nothing}
      </div>
      <div role="alert">
        ${earlier.failure ? html`<p class="note" data-testid="earlier-failure">${failureText(earlier.failure, this.isIdentified && !earlier.opened, words)}</p>` : nothing}
      </div>
      ${earlier.hasMore && !earlier.isLoading ? this.#more(earlier, words) : nothing}
    `
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('[data-testid=earlier-back]')?.focus()
  }

  #list(earlier: EarlierContacts, words: Words): TemplateResult {
    const isEmpty = earlier.contacts.length === 0 && !earlier.isLoading && !earlier.hasMore
    if (isEmpty) return html`<p class="note" data-testid="earlier-none">${words.t('earlierNone')}</p>`
    return html`<ul>
      ${earlier.contacts.map(
        (contact) =>
          html`<li>
            <button data-testid="earlier-contact" @click=${() => this.#open(earlier, contact)}>
              ${this.#title(contact, words)}
            </button>
          </li>`,
      )}
    </ul>`
  }

  #title({ agent, created }: EarlierContacts['contacts'][number], words: Words): TemplateResult {
    const at = Date.parse(created)
    return html`<bdi>${showHidden(agent ?? words.t('agent'))}</bdi>
      <span class="dash" aria-hidden="true">–</span>
      <time datetime=${created}>${words.dayAndTime(at)}</time>`
  }

  #messages({ opened, isLoading, failure }: EarlierContacts, words: Words): TemplateResult | typeof nothing {
    if (!opened || failure) return nothing
    // Of a secure contact the service keeps nothing that can be read.
    if (opened.items.length === 0)
      return isLoading ? nothing : html`<p class="note">${words.t('earlierUnreadable')}</p>`
    return html`<duolog-messages
      .items=${opened.items}
      .words=${words}
      .nick=${opened.contact.agent ?? words.t('agent')}
    ></duolog-messages>`
  }

  #more(earlier: EarlierContacts, words: Words): TemplateResult {
    const key = earlier.failure ? 'retry' : earlier.opened ? 'earlierMessages' : 'earlierMore'
    return html`<button class="plain more" data-testid="earlier-more" @click=${() => void earlier.more()}>
      ${words.t(key)}
    </button>`
  }

  #open(earlier: EarlierContacts, contact: EarlierContacts['contacts'][number]): void {
    void earlier.open(contact)
    this.focus()
  }

  readonly #back = (): void => {
    if (this.#earlier?.opened) this.#earlier.close()
    else this.dispatchEvent(new Event('back'))
  }
}

define('duolog-earlier', EarlierElement)
