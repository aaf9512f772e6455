import { LitElement, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { repeat } from 'lit/directives/repeat.js'
import {
  ConfirmElement,
  ConversationElement,
  KeepingFocus,
  ObserverController,
  avatarStyle,
  base,
  define,
  hasLiveCall,
  deskWordsFor,
  icons,
  peerName,
  theme,
  loadDeskWords,
} from '../../ui/src/index.ts'
import type { TransferNote, TransferTarget } from 'duolog/agent'
import type { ContactSession, DeskWords, Words } from '../../ui/src/index.ts'
import { aboutView } from './about-view.ts'
import { repliesOf } from './canned-replies.ts'
import type { CannedReplies } from './canned-replies.ts'
import { ConsoleAlerts } from './console-alerts.ts'
import { ConsoleModel } from './console-model.ts'
import { consoleStyle } from './console-style.ts'
import { contactBar } from './contact-bar.ts'
import { deskPage, openReplies } from './desk-page.ts'
import { failureText } from './failure-words.ts'
import { loadPart } from './late-desk.ts'
import { sideStyle } from './side-style.ts'
import { sideView } from './side-view.ts'
import type { DeskView } from './side-view.ts'
import { SignInEvent } from './sign-in.ts'
import type { TokenSource } from './token-source.ts'
import { TransferElement } from './transfer-element.ts'

/** The agent's console. Attributes: `service`, `lang`, `nick` (signs in at once). */
export class DuologConsole extends LitElement {
  static override properties = {
    service: {},
    lang: {},
    nick: {},
    model: { state: true },
    showsData: { state: true },
    view: { state: true },
    tokens: { attribute: false },
  }
  static override styles = [theme, base, avatarStyle, sideStyle, consoleStyle]

  declare service: string
  declare nick: string | null
  declare model: ConsoleModel | undefined
  declare showsData: boolean
  /** What is shown in place of a conversation. */
  declare view: DeskView | null
  /** Gives the agent's tokens where the application signs agents in; set before the element is connected. */
  declare tokens: TokenSource | null
  #deskWords: DeskWords = deskWordsFor([])
  #words: Words = this.#deskWords.words
  /** The words of the agent's language, on their way. */
  #loading: Promise<void> | undefined
  readonly #watching = new ObserverController(this, () => this.#changed())
  readonly #alerts = new ConsoleAlerts((contact) => this.#select(contact))

  constructor() {
    super()
    this.service = ''
    this.lang = ''
    this.nick = null
    this.showsData = false
    this.view = null
    this.tokens = null
    this.addController(new KeepingFocus(this, (path) => this.#takeFocus(path)))
  }

  /** Shows nothing in a language whose words are still on their way. */
  protected override async scheduleUpdate(): Promise<unknown> {
    if (this.#loading) await this.#loading
    this.#loading = undefined
    return super.scheduleUpdate()
  }

  #speak(preferred: readonly string[]): void {
    this.#deskWords = deskWordsFor(preferred)
    this.#words = this.#deskWords.words
    this.setAttribute('lang', this.#words.lang)
    if (this.#words.dir === 'rtl') this.setAttribute('dir', 'rtl')
    else this.removeAttribute('dir')
  }

  override connectedCallback(): void {
    super.connectedCallback()
    const preferred = [this.lang, ...navigator.languages]
    this.#speak(preferred)
    this.#loading = loadDeskWords(preferred)?.then(() => this.#speak(preferred))
    const model = new ConsoleModel(new URL(this.service || '/', document.baseURI).origin, this.tokens)
    this.model = model
    this.#watching.watch(model, this.#alerts.settings)
    document.addEventListener('visibilitychange', this.#attend)
    void model.restore(this.nick)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('visibilitychange', this.#attend)
    this.#watching.watch()
    this.model?.close()
    this.model = undefined
    this.#alerts.tell(undefined, this.#words)
  }

  override render(): TemplateResult | typeof nothing {
    const { model } = this
    const words = this.#words
    if (!model) return nothing
    if (model.phase !== 'signed-in') return this.#signInView(model, words)
    const { selected } = model
    const shown = selected ? 'has-selection' : this.view ? 'has-view' : ''
    return html`
      <div class="console ${shown} ${this.showsData ? 'shows-data' : ''}">
        <div class="calls">${this.#otherCalls(model, words)}</div>
        <aside class="side" aria-label=${words.t('contacts')}>${this.#side(model, words)}</aside>
        <main>
          <h1 class="hidden-text">${words.t('consoleTitle')}</h1>
          ${this.#main(model, words)}
        </main>
        ${selected ? aboutView({ session: selected, agent: model.agent, words, desk: this.#deskWords }) : nothing}
      </div>
      <duolog-replies .replies=${this.#replies} .words=${this.#deskWords}></duolog-replies>
    `
  }

  #side(model: ConsoleModel, words: Words): TemplateResult {
    return sideView({
      model,
      words,
      onSelect: (id) => this.#select(id),
      tools: {
        desk: this.#deskWords,
        alerts: this.#alerts.settings,
        view: this.view,
        onView: (view) => this.#show(view),
        onReplies: () => void openReplies(this.renderRoot).catch(() => undefined),
      },
    })
  }

  #main(model: ConsoleModel, words: Words): TemplateResult {
    const { selected, agent, identity } = model
    if (selected) return this.#contact(selected, model, words)
    if (!this.view) return html`<p class="choose">${icons.people}<span>${words.t('chooseContact')}</span></p>`
    const rights = identity?.agent.rights ?? []
    return deskPage(this.view, { agent, rights, words: this.#deskWords, onClosed: () => this.#closeView() })
  }

  get #replies(): CannedReplies | null {
    const { agent, identity } = this.model ?? {}
    return agent && identity ? repliesOf(agent, identity.agent.id) : null
  }

  /** A conversation that is not seen is not attended. */
  #show(view: DeskView): void {
    this.model?.select(null)
    this.view = view
    const focus = async (): Promise<void> => {
      await loadPart(view)
      await this.updateComplete
      this.renderRoot.querySelector<HTMLElement>('main > :not(h1)')?.focus()
    }
    void focus().catch(() => undefined)
  }

  #closeView(): void {
    const button = `[data-testid=view-${this.view ?? ''}]`
    this.view = null
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(button)?.focus())
  }

  #signInView(model: ConsoleModel, words: Words): TemplateResult {
    return html`<duolog-sign-in
      .words=${words}
      .way=${model.way}
      .isBusy=${model.phase === 'signing-in'}
      .failure=${failureText(model, words)}
      @sign-in=${this.#signIn}
    ></duolog-sign-in>`
  }

  /** Calls whose conversation is not shown: they are heard, and can be ended. */
  #otherCalls({ sessions, selected }: ConsoleModel, words: Words): TemplateResult {
    const others = sessions.filter((session) => session !== selected && hasLiveCall(session.state))
    return html`${repeat(
      others,
      ({ contact }) => contact.id,
      (session) =>
        html`<duolog-live-call
          audible
          .session=${session}
          .words=${words}
          @open-call=${() => this.#select(session.contact.id)}
        ></duolog-live-call>`,
    )}`
  }

  #contact(session: ContactSession, model: ConsoleModel, words: Words): TemplateResult {
    const { state, contact } = session
    const { agent } = model
    void loadPart('replyList').catch(() => undefined)
    // A dialog is about the contact that it was opened for, and closes with it.
    const about = html`
      <duolog-reply-list
        .replies=${this.#replies}
        .words=${this.#deskWords}
        .names=${{ visitor: peerName(state, words), agent: model.identity?.agent.nick ?? '' }}
      >
        <duolog-conversation .session=${session} .words=${words}></duolog-conversation>
      </duolog-reply-list>
      <duolog-confirm
        .heading=${words.t('endContactTitle', { nick: peerName(state, words) })}
        .text=${words.t('leaveText')}
        .yes=${words.t('endContact')}
        .no=${words.t('stay')}
        @confirmed=${() => void session.leave()}
      ></duolog-confirm>
      <duolog-transfer
        .nick=${peerName(state, words)}
        .words=${words}
        .transfer=${async (to: TransferTarget, options: TransferNote) => agent?.transfer(contact.id, to, options)}
        .colleagues=${async () => (await agent?.colleagues().catch(() => [])) ?? []}
        .takesNote=${!contact.data().secure}
      ></duolog-transfer>
    `
    return html`${this.#bar(session, model)} ${keyed(session, about)}`
  }

  #bar(session: ContactSession, model: ConsoleModel): TemplateResult {
    return contactBar({
      session,
      words: this.#deskWords,
      showsData: this.showsData,
      onBack: () => model.select(null),
      onData: () => (this.showsData = !this.showsData),
      onDismiss: () => model.dismiss(session.contact.id),
      onTransfer: () => this.#askWhere(),
      onEnd: () => this.#askToEnd(session),
    })
  }

  #askToEnd(session: ContactSession): void {
    const confirm = this.renderRoot.querySelector('duolog-confirm')
    if (session.state.peer?.presence === 'gone') void session.leave()
    else if (confirm instanceof ConfirmElement) confirm.ask()
  }

  #askWhere(): void {
    const dialog = this.renderRoot.querySelector('duolog-transfer')
    if (dialog instanceof TransferElement) dialog.open()
  }

  #select(id: string): void {
    this.model?.select(id)
    this.#takeFocus()
  }

  /** `path`: a control that had the focus and is gone, and the elements around it. */
  #takeFocus(path: readonly Element[] = []): void {
    void this.updateComplete.then(async () => {
      const conversation = this.renderRoot.querySelector('duolog-conversation')
      if (!(conversation instanceof ConversationElement))
        return this.renderRoot.querySelector<HTMLElement>('.ready, duolog-sign-in')?.focus()
      await conversation.updateComplete
      conversation.focusAfter(path)
    })
  }

  readonly #signIn = (event: Event): void => {
    if (!(event instanceof SignInEvent)) return
    void (event.nick === null ? this.model?.signInElsewhere() : this.model?.signIn(event.nick))
  }

  readonly #attend = (): void => this.model?.attend()

  #changed(): void {
    if (this.model?.selected || this.model?.phase !== 'signed-in') this.view = null
    this.#alerts.tell(this.model, this.#words)
    this.requestUpdate()
  }
}

define('duolog-console', DuologConsole)
