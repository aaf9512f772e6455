import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { Agent, DeskOverview, LiveContact } from 'duolog/agent'
import type { ErrorCode } from 'duolog'
import { base, codeOf, define, icons, showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import { deskStyle, viewStyle } from './desk-style.ts'
import { agentRow, figures, most, table, waitingRow } from './overview-tables.ts'
import './text-log.ts'
import { viewHead } from './view-head.ts'

/** How often the service is asked. */
const LOOK_MS = 3_000

/** Queue, agents and contacts as they are now; with the right, what is written in a contact. */
export class SupervisorElement extends LitElement {
  static override properties = {
    agent: { attribute: false },
    words: { attribute: false },
    mayListen: { attribute: false },
    overview: { state: true },
    readAt: { state: true },
    failure: { state: true },
    listened: { state: true },
  }
  static override styles = [
    base,
    deskStyle,
    viewStyle,
    css`
      dl {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(120px, 1fr));
        gap: 8px;
        margin-block: 12px;
      }
      dl div {
        padding: 10px 12px;
        border: 1px solid var(--p-line);
        border-radius: var(--p-radius);
        background: var(--p-page);
        display: flex;
        flex-direction: column-reverse;
        justify-content: flex-end;
      }
      dt {
        font-size: 13px;
        color: var(--p-muted);
      }
      dd {
        font-size: 22px;
        font-weight: 700;
        font-variant-numeric: tabular-nums;
      }
      .hint {
        margin-block-end: 8px;
      }
      .table {
        overflow-x: auto;
      }
      /* Its hidden text scrolls with the table. */
      td button {
        position: relative;
      }
      table {
        inline-size: 100%;
        border-collapse: collapse;
        font-size: 14px;
      }
      th,
      td {
        padding: 6px 10px;
        border-block-end: 1px solid var(--p-line);
        overflow-wrap: break-word;
        min-inline-size: 60px;
      }
      :is(th, td):not([dir]) {
        text-align: start;
      }
      [scope='col'] {
        font-size: 13px;
        color: var(--p-muted);
      }
      td button.plain {
        margin-inline-start: -8px;
      }
      @media (max-width: 480px) {
        th,
        td {
          padding-inline: 4px;
        }
        td button.plain {
          padding-inline: 0;
          margin-inline-start: 0;
        }
      }
      .number {
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
      }
      .listening {
        margin-block: 16px;
        padding: 12px;
        border: 2px dashed var(--p-on-note-soft);
        border-radius: var(--p-radius);
      }
    `,
  ]

  declare agent: Pick<Agent, 'overview' | 'read'> | null
  declare words: DeskWords | undefined
  /** The agent has the right to read the text of others. */
  declare mayListen: boolean
  declare overview: DeskOverview | null
  /** Milliseconds since the epoch. */
  declare readAt: number
  declare failure: ErrorCode | null
  declare listened: LiveContact | null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.agent = null
    this.mayListen = false
    this.overview = this.failure = this.listened = null
    this.readAt = 0
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('agent')) void this.#look()
  }

  override focus(): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('h2')?.focus())
  }

  override render(): TemplateResult | typeof nothing {
    const { words, overview } = this
    if (!words) return nothing
    const { t } = words
    return html`<section aria-labelledby="heading" data-testid="overview">
      ${viewHead(this, { title: t('overview'), words, beside: overview ? this.#age(words) : nothing })}
      <p class="failure" role="alert" data-testid="overview-failure">${this.#failureText(words)}</p>
      ${overview ? [figures(overview, words), this.#listening(words), this.#lists(overview, words)] : nothing}
    </section>`
  }

  #age({ t, words }: DeskWords): TemplateResult {
    return html`<p class="hint">${t('overviewAge', { time: words.time(this.readAt) })}</p>`
  }

  #failureText({ t, words }: DeskWords): string {
    if (this.failure === null) return ''
    return this.failure === 'forbidden' ? t('overviewForbidden') : words.error(this.failure)
  }

  #lists({ queue, agents, contacts, totals }: DeskOverview, words: DeskWords): TemplateResult {
    const { t } = words
    return html`
      ${table({
        name: t('overviewQueue'),
        columns: [t('columnVisitor'), t('columnSkills'), t('columnWaited')],
        rows: queue.map((each) => waitingRow(each, words)),
        none: t('overviewQueueNone'),
      })}
      ${most(totals.waiting, queue.length, words)}
      ${table({
        name: t('overviewAgents'),
        columns: [t('columnAgent'), t('columnState'), t('columnLoad'), t('columnSkills')],
        rows: agents.map((each) => agentRow(each, words)),
        none: t('overviewAgentsNone'),
      })}
      ${table({
        name: t('overviewContacts'),
        columns: [
          ...[t('columnVisitor'), t('columnAgent'), t('columnState'), t('columnLasts'), t('columnMessages')],
          ...(this.mayListen ? [t('columnListen')] : []),
        ],
        rows: contacts.map((each) => this.#contactRow(each, words)),
        none: t('overviewContactsNone'),
      })}
      ${most(totals.open, contacts.length, words)}
    `
  }

  #contactRow(contact: LiveContact, words: DeskWords): TemplateResult {
    const { t, span } = words
    const nick = showHidden(contact.nick ?? words.words.t('visitor'))
    const agent = showHidden(contact.agent)
    return html`<tr data-testid="overview-contact">
      <th scope="row" dir="auto">${nick}</th>
      <td dir="auto">${agent}</td>
      <td>${t(contact.state === 'joined' ? 'stateTalking' : 'stateAssigned')}</td>
      <td class="number">${span(contact.lastsMs)}</td>
      <td class="number">${contact.messages}</td>
      ${this.mayListen ? html`<td>${this.#listenButton(contact, `${nick}, ${agent}`, words)}</td>` : nothing}
    </tr>`
  }

  #listenButton(contact: LiveContact, who: string, { t }: DeskWords): TemplateResult {
    if (contact.secure) return html`${t('listenSecure')}`
    return html`<button
      class="plain"
      data-testid="listen"
      aria-pressed=${String(this.listened?.id === contact.id)}
      @click=${() => (this.listened = this.listened?.id === contact.id ? null : contact)}
    >
      ${t('columnListen')}<span class="hidden-text">: ${who}</span>
    </button>`
  }

  #listening(words: DeskWords): TemplateResult | typeof nothing {
    const { listened } = this
    if (!listened) return nothing
    const { t } = words
    const [nick, agent] = [listened.nick ?? words.words.t('visitor'), listened.agent]
    return html`<section class="listening" aria-labelledby="listening" data-testid="listening">
      <div class="head">
        <h2 id="listening" dir="auto">${t('listenTo', { nick, agent })}</h2>
        <button
          class="icon"
          data-testid="listen-close"
          aria-label=${words.words.t('close')}
          title=${words.words.t('close')}
          @click=${() => (this.listened = null)}
        >
          ${icons.close}
        </button>
      </div>
      <p class="hint">${t('listenHint')}</p>
      <duolog-text-log
        .agent=${this.agent}
        .contact=${listened.id}
        .words=${words}
        .isLive=${true}
      ></duolog-text-log>
    </section>`
  }

  /** Asks again after each answer, while the page is looked at. */
  async #look(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      if (document.visibilityState === 'visible' && this.agent) {
        this.overview = await this.agent.overview()
        this.readAt = Date.now()
        this.failure = null
      }
    } catch (thrown) {
      this.failure = codeOf(thrown)
    }
    if (this.isConnected && this.failure !== 'forbidden')
      this.#timer = setTimeout(() => void this.#look(), LOOK_MS)
  }
}

define('duolog-supervisor', SupervisorElement)
