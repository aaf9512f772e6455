import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { Contact, DataCollection, MediaOffer, Rating } from 'duolog'
import {
  Alerts,
  KeepingFocus,
  ObserverController,
  base,
  define,
  hasLiveCall,
  pageAlerts,
  theme,
  loadWords,
  wordsFor,
} from '../../ui/src/index.ts'
import type { ContactSession, OwnWords, Words } from '../../ui/src/index.ts'
import { conversationView } from './after-end.ts'
import { alertsFor, launcher } from './launcher.ts'
import { type Identity, identityFrom, isAnother } from './identity.ts'
import { askToLeave, leaveDialog } from './leave-dialog.ts'
import { LOOK_ATTRIBUTES, applyLook } from './look.ts'
import { doesFocusWait, focusWidget } from './panel-focus.ts'
import { panelHeader } from './panel-header.ts'
import { remember, rememberSound, remembered, wantsSound } from './panel-memory.ts'
import { preferredLanguages } from './preferred-languages.ts'
import { checkSettings, tellOfLook } from './settings-check.ts'
import { StartEvent } from './start-form.ts'
import { startOf, startView, turnBack } from './start-view.ts'
import { VisitorModel } from './visitor-model.ts'
import type { WidgetField } from './widget-api.ts'
import { PageTeller, tell } from './widget-events.ts'
import { defaultSettings, settingProperties } from './widget-settings.ts'
import { widgetStyle } from './widget-style.ts'

/**
 * A button in the corner of a page, and the panel that it opens. What a site sets, and what it hears, is in
 * `widget-api.ts` and in docs/widget.md.
 */
export class DuologWidget extends LitElement {
  static override properties = {
    ...settingProperties,
    isOpen: { state: true },
    isEnlarged: { state: true },
    hasSound: { state: true },
    model: { state: true },
    isLookingBack: { state: true },
  }
  static override styles = [theme, base, widgetStyle]

  declare service: string
  declare secure: boolean
  declare label: string
  declare greeting: string
  declare position: 'end' | 'start'
  declare theme: 'auto' | 'light' | 'dark'
  declare hours: string
  declare timeZone: string
  declare fields: readonly WidgetField[]
  declare tags: string
  declare identity: Identity
  declare silent: boolean
  declare noReceipts: boolean
  declare data: DataCollection
  declare ownWords: OwnWords
  declare isOpen: boolean
  declare isEnlarged: boolean
  /** The visitor wants to hear of news. */
  declare hasSound: boolean
  declare model: VisitorModel | undefined
  /** Earlier contacts are shown in the place of the form. */
  declare isLookingBack: boolean
  #words: Words = wordsFor([])
  #nick = ''
  #question = ''
  /** The offer that was last seen: a new one opens the panel. */
  #offer: MediaOffer | null = null
  readonly #teller = new PageTeller(this)
  readonly #alerts = new Alerts(pageAlerts())
  readonly #modelWatch = new ObserverController(this, () => this.#modelChanged())
  readonly #sessionWatch = new ObserverController(this, () => this.#sessionChanged())

  constructor() {
    super()
    Object.assign(this, defaultSettings)
    this.isOpen = false
    this.isEnlarged = false
    this.hasSound = wantsSound()
    this.isLookingBack = false
    this.addController(new KeepingFocus(this, (path) => this.#takeFocus(path)))
  }

  override connectedCallback(): void {
    super.connectedCallback()
    // What `widget.js` has shown before goes away, so it cannot be where Lit ends what it renders.
    this.renderOptions.renderBefore = null
    document.addEventListener('visibilitychange', this.#attend)
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('visibilitychange', this.#attend)
    this.#giveBack()
  }

  /** What talks to the service: in the update after the page has set where that is. */
  #takeUp(): void {
    this.#giveBack()
    const { identity } = this
    const model = new VisitorModel(new URL(this.service || '/', document.baseURI).origin, {
      receipts: () => !this.noReceipts,
      ...(identity && { identity: identityFrom(() => this.identity) }),
    })
    this.model = model
    this.isLookingBack = false
    this.#modelWatch.watch(model)
    void model.resume().then((isResumed) => {
      // One that was begun elsewhere is no reason to open the panel here.
      const isWanted = identity ? remembered() === 'yes' : remembered() !== 'no'
      if (isResumed && this.model === model) this.#show(isWanted, { takeFocus: false })
      if (model.hasNewAnswer && this.model === model) void turnBack(this).then(this.#attend)
      if (doesFocusWait(this)) this.#takeFocus()
    })
  }

  #giveBack(): void {
    this.#teller.follow(null)
    this.#alert(null)
    this.#modelWatch.watch()
    this.#sessionWatch.watch()
    this.model?.close()
    this.model = undefined
  }

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, ...LOOK_ATTRIBUTES, 'hidden']
  }

  override attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    super.attributeChangedCallback(name, before, value)
    if (LOOK_ATTRIBUTES.includes(name)) applyLook(this, tellOfLook())
    if (name !== 'hidden') return
    this.#attend()
    this.requestUpdate()
  }

  /** The visitor's contact, or null where none is open. */
  get contact(): Contact | null {
    const session = this.model?.session
    return session && session.state.stage !== 'ended' ? session.contact : null
  }

  /** Opens the panel; `question` stands in the field for the first message. */
  open(question = ''): void {
    if (question) this.#question = question
    this.#show(true, { takeFocus: true })
  }

  /** Closes the panel; the contact goes on. */
  close(): void {
    this.#show(false, { takeFocus: false })
  }

  /** Shows nothing in a language whose words are still on their way. */
  protected override async scheduleUpdate(): Promise<unknown> {
    const loading = loadWords(preferredLanguages(this))
    if (loading) await loading
    return super.scheduleUpdate()
  }

  override willUpdate(changed: PropertyValues<this>): void {
    checkSettings(this, changed)
    const { session } = this.model ?? {}
    if (changed.has('hasSound') && this.hasUpdated) {
      rememberSound(this.hasSound)
      this.#alert(session ?? null)
    }
    this.toggleAttribute('in-call', session ? hasLiveCall(session.state) : false)
    if (this.isConnected && (!this.model || (this.hasUpdated && isAnother(changed, this.identity))))
      this.#takeUp()
    if (changed.has('lang') || changed.has('ownWords') || !this.hasUpdated)
      this.#words = wordsFor(preferredLanguages(this), this.ownWords)
  }

  /** `widget.js` has shown a button before: this one takes its place, and its focus. */
  override firstUpdated(): void {
    for (const before of this.renderRoot.querySelectorAll<HTMLElement>('[data-loader]')) {
      const hadFocus = before.matches(':focus')
      before.remove()
      if (hadFocus && !this.isOpen) this.#takeFocus()
    }
  }

  override render(): TemplateResult | typeof nothing {
    const { model } = this
    if (!model) return nothing
    const words = this.#words
    return html`
      ${launcher(this, { words, session: model.session, isAnswered: model.hasNewAnswer })}
      <section
        class="panel ${this.isEnlarged ? 'enlarged' : ''}"
        part="panel"
        role="dialog"
        lang=${words.lang}
        dir=${words.dir === 'rtl' ? 'rtl' : nothing}
        aria-label=${words.t('openChat')}
        ?hidden=${!this.isOpen}
        data-testid="panel"
        @keydown=${this.#key}
      >
        ${panelHeader(this, { words, session: model.session, leave: () => askToLeave(this.renderRoot), close: this.#minimise })}
        ${model.session ? conversationView(model.session, { words, rate: this.#rate, again: this.#again }) : this.#form(model, words)}
      </section>
      ${leaveDialog(words, { state: model.session?.state, leave: this.#leave })}
    `
  }

  #form(model: VisitorModel, words: Words): TemplateResult {
    const written = { nick: this.#nick, question: this.#question }
    return startView(this, { model, words, written, start: this.#start, lookBack: this.#lookBack })
  }

  readonly #lookBack = (): void => void turnBack(this).then(() => this.#takeFocus())

  readonly #start = (event: Event): void => {
    if (!(event instanceof StartEvent) || !this.model) return
    this.#nick = event.nick
    this.#question = event.firstMessage
    void this.model
      .start(startOf(this, event, this.#words.lang))
      .then(() => this.model?.session && this.#takeFocus())
  }

  readonly #rate = async (rating: Rating): Promise<void> => this.model?.rate(rating)

  readonly #again = (): void => {
    this.#nick ||= this.model?.session?.contact.data().visitor.nick ?? ''
    this.#question = ''
    this.isEnlarged = false
    this.model?.reset()
    this.#takeFocus()
  }

  readonly #leave = (): void => {
    void this.model?.session?.leave().then(() => this.#takeFocus())
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    this.#minimise()
  }

  readonly #minimise = (): void => this.#show(false, { takeFocus: true })

  readonly #attend = (): void => {
    const isSeen = this.isOpen && !this.hidden && document.visibilityState === 'visible'
    this.model?.session?.attend(isSeen)
    if (isSeen && this.isLookingBack) this.model?.readAnswer()
  }

  #show(isOpen: boolean, { takeFocus }: { readonly takeFocus: boolean }): void {
    if (isOpen !== this.isOpen) tell(this, isOpen ? 'duolog-open' : 'duolog-close', null)
    this.isOpen = isOpen
    remember(isOpen ? 'yes' : 'no')
    this.#attend()
    this.requestUpdate()
    if (takeFocus) this.#takeFocus()
  }

  #takeFocus(gone: readonly Element[] = []): void {
    void this.updateComplete.then(() => focusWidget(this, gone))
  }

  #alert(session: ContactSession | null): void {
    this.#alerts.tell({ ...alertsFor(session, this.#words), hasSound: this.hasSound && !this.silent })
  }

  #modelChanged(): void {
    this.#sessionWatch.watch(this.model?.session)
    this.#teller.follow(this.model?.session?.contact ?? null)
    if (this.model?.phase === 'unreachable' && !this.isOpen && remembered() === 'yes')
      this.#show(true, { takeFocus: false })
    this.#attend()
    this.requestUpdate()
  }

  #sessionChanged(): void {
    this.#alert(this.model?.session ?? null)
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
