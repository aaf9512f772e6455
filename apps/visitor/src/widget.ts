import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { DataCollection, MediaOffer } from 'duolog'
import {
  ConfirmElement,
  ConversationElement,
  KeepingFocus,
  ObserverController,
  base,
  define,
  hasPictures,
  icons,
  isRinging,
  offerText,
  showHidden,
  theme,
  wordsFor,
} from '../../ui/src/index.ts'
import type { ContactSession, OwnWords, Words } from '../../ui/src/index.ts'
import { remember, remembered } from './panel-memory.ts'
import { StartEvent, StartForm } from './start-form.ts'
import { VisitorModel } from './visitor-model.ts'
import { widgetStyle } from './widget-style.ts'

/**
 * A button in the corner of a page, and the panel that it opens.
 *
 * Attributes: `service` (address of the contact service), `lang` (else that of the page). Properties: `data`
 * (forms for the agent), `ownWords`.
 * Attribute `secure`: new contacts are encrypted from end to end.
 */
export class DuologWidget extends LitElement {
  static override properties = {
    service: {},
    lang: {},
    secure: { type: Boolean },
    data: { attribute: false },
    ownWords: { attribute: false },
    isOpen: { state: true },
    isEnlarged: { state: true },
    model: { state: true },
  }
  static override styles = [theme, base, widgetStyle]

  declare service: string
  declare secure: boolean
  declare data: DataCollection
  declare ownWords: OwnWords
  declare isOpen: boolean
  declare isEnlarged: boolean
  declare model: VisitorModel | undefined
  #words: Words = wordsFor([])
  #nick = ''
  #question = ''
  /** The offer that was last seen: a new one opens the panel. */
  #offer: MediaOffer | null = null
  readonly #modelWatch = new ObserverController(this, () => this.#modelChanged())
  readonly #sessionWatch = new ObserverController(this, () => this.#sessionChanged())

  constructor() {
    super()
    this.service = ''
    this.secure = false
    this.lang = ''
    this.data = []
    this.ownWords = {}
    this.isOpen = false
    this.isEnlarged = false
    this.addController(new KeepingFocus(this, () => this.#takeFocus()))
  }

  override connectedCallback(): void {
    super.connectedCallback()
    const model = new VisitorModel(new URL(this.service || '/', document.baseURI).origin)
    this.model = model
    this.#modelWatch.watch(model)
    document.addEventListener('visibilitychange', this.#attend)
    void model.resume().then((isResumed) => {
      if (isResumed && this.model === model) this.#show(remembered() !== 'no', { takeFocus: false })
    })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('visibilitychange', this.#attend)
    this.#modelWatch.watch()
    this.#sessionWatch.watch()
    this.model?.close()
    this.model = undefined
  }

  /** Opens the panel; `question` stands in the field for the first message. */
  open(question = ''): void {
    if (question) this.#question = question
    this.#show(true, { takeFocus: true })
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('lang') || changed.has('ownWords') || !this.hasUpdated) {
      const inherited = this.closest<HTMLElement>('[lang]')?.lang
      this.#words = wordsFor([this.lang, inherited ?? '', ...navigator.languages], this.ownWords)
    }
  }

  override render(): TemplateResult | typeof nothing {
    const { model } = this
    if (!model) return nothing
    const words = this.#words
    return html`
      ${this.#launcher(model, words)}
      <section
        class="panel ${this.isEnlarged ? 'enlarged' : ''}"
        role="dialog"
        lang=${words.lang}
        aria-label=${words.t('openChat')}
        ?hidden=${!this.isOpen}
        data-testid="panel"
        @keydown=${this.#key}
      >
        ${this.#header(model, words)}
        ${model.session ? this.#conversation(model.session, words) : this.#form(model, words)}
      </section>
      <duolog-confirm
        .heading=${words.t('leaveTitle')}
        .text=${words.t('leaveText')}
        .yes=${words.t('leave')}
        .no=${words.t('stay')}
        @confirmed=${this.#leave}
      ></duolog-confirm>
    `
  }

  /** The button that opens the panel, and what of a closed panel is shown or told. */
  #launcher({ session }: VisitorModel, words: Words): TemplateResult {
    const state = session?.state
    const unread = state?.unread ?? 0
    const call = state && isRinging(state) ? showHidden(offerText(state, words)) : ''
    const news = call || (unread > 0 ? words.count('unread', unread) : '')
    return html`
      <button
        class="launcher primary"
        ?hidden=${this.isOpen}
        data-testid="launcher"
        aria-haspopup="dialog"
        aria-expanded="false"
        @click=${() => this.open()}
      >
        ${call ? icons.phone : icons.chat}<span>${call || words.t('openChat')}</span>${unread > 0 ? html`<span class="badge" data-testid="unread">${unread}<span class="hidden-text"> ${words.count('unread', unread)}</span></span>` : nothing}
      </button>
      ${this.isOpen ? nothing : html`<duolog-live-call .session=${session} .words=${words} @open-call=${() => this.open()}></duolog-live-call>`}
      <div class="hidden-text" role="status">${this.isOpen ? '' : news}</div>
    `
  }

  #header({ session }: VisitorModel, words: Words): TemplateResult {
    return html`
      <header>
        ${session ? html`<duolog-peer .session=${session} .state=${session.state} .words=${words}></duolog-peer>` : html`<h2 class="title">${words.t('openChat')}</h2>`}
        ${session && (hasPictures(session.state) || this.isEnlarged) ? this.#sizeButton(words) : nothing}
        ${
          session && session.state.stage !== 'ended'
            ? html`<button
                class="icon flips"
                data-testid="leave"
                aria-label=${words.t('leave')}
                title=${words.t('leave')}
                @click=${this.#askToLeave}
              >
                ${icons.exit}
              </button>`
            : nothing
        }
        <button
          class="icon"
          data-testid="close-panel"
          aria-label=${words.t('closeChat')}
          title=${words.t('closeChat')}
          @click=${() => this.#show(false, { takeFocus: true })}
        >
          ${icons.down}
        </button>
      </header>
    `
  }

  #sizeButton(words: Words): TemplateResult {
    const label = words.t(this.isEnlarged ? 'shrink' : 'enlarge')
    return html`<button
      class="icon size"
      data-testid="enlarge"
      aria-label=${label}
      title=${label}
      @click=${() => (this.isEnlarged = !this.isEnlarged)}
    >
      ${this.isEnlarged ? icons.shrink : icons.enlarge}
    </button>`
  }

  #form(model: VisitorModel, words: Words): TemplateResult {
    if (model.phase === 'resuming' || model.phase === 'unreachable')
      return html`<p class="resuming" role="status" data-testid="resuming" data-phase=${model.phase}>
        ${words.t(model.phase === 'resuming' ? 'connecting' : 'unreachable')}
      </p>`
    return html`<duolog-start-form
      .words=${words}
      .failure=${model.failure}
      .starting=${model.phase === 'starting'}
      .nick=${this.#nick}
      .firstMessage=${this.#question}
      @start=${this.#start}
    ></duolog-start-form>`
  }

  #conversation(session: ContactSession, words: Words): TemplateResult {
    return html`
      <duolog-conversation .session=${session} .words=${words}></duolog-conversation>
      ${session.state.stage === 'ended' ? html`<div class="after"><button class="primary" data-testid="start-again" @click=${this.#again}>${words.t('startAgain')}</button></div>` : nothing}
    `
  }

  readonly #start = (event: Event): void => {
    if (!(event instanceof StartEvent) || !this.model) return
    this.#nick = event.nick
    this.#question = event.firstMessage
    const { nick, firstMessage } = event
    void this.model
      .start({ nick, firstMessage, lang: this.#words.lang, data: this.data, secure: this.secure })
      .then(() => this.model?.session && this.#takeFocus())
  }

  readonly #again = (): void => {
    this.#nick ||= this.model?.session?.contact.data().visitor.nick ?? ''
    this.#question = ''
    this.isEnlarged = false
    this.model?.reset()
    this.#takeFocus()
  }

  readonly #askToLeave = (): void => {
    const confirm = this.renderRoot.querySelector('duolog-confirm')
    if (confirm instanceof ConfirmElement) confirm.ask()
  }

  readonly #leave = (): void => {
    void this.model?.session?.leave().then(() => this.#takeFocus())
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    this.#show(false, { takeFocus: true })
  }

  readonly #attend = (): void => {
    this.model?.session?.attend(this.isOpen && document.visibilityState === 'visible')
  }

  #show(isOpen: boolean, { takeFocus }: { readonly takeFocus: boolean }): void {
    this.isOpen = isOpen
    remember(isOpen ? 'yes' : 'no')
    this.#attend()
    this.requestUpdate()
    if (takeFocus) this.#takeFocus()
  }

  #takeFocus(): void {
    void this.updateComplete.then(async () => {
      const inside = this.renderRoot.querySelector('duolog-conversation, duolog-start-form')
      const after = this.renderRoot.querySelector<HTMLElement>('.after button')
      if (!this.isOpen) return this.renderRoot.querySelector<HTMLElement>('.launcher')?.focus()
      if (after) return after.focus()
      if (!(inside instanceof ConversationElement) && !(inside instanceof StartForm))
        return this.renderRoot.querySelector<HTMLElement>('header button')?.focus()
      await inside.updateComplete
      inside.focus()
    })
  }

  #modelChanged(): void {
    this.#sessionWatch.watch(this.model?.session)
    if (this.model?.phase === 'unreachable' && !this.isOpen && remembered() === 'yes')
      this.#show(true, { takeFocus: false })
    this.#attend()
    this.requestUpdate()
  }

  #sessionChanged(): void {
    const offer = this.model?.session?.state.offer?.offer ?? null
    const isNew = offer !== null && offer !== this.#offer
    this.#offer = offer
    // Its launcher goes away: who was on it comes to the call.
    if (isNew && !this.isOpen)
      this.#show(true, { takeFocus: this.renderRoot.querySelector(':focus') !== null })
    this.requestUpdate()
  }
}

define('duolog-widget', DuologWidget)
