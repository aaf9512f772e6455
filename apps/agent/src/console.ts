import { LitElement, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { repeat } from 'lit/directives/repeat.js'
import {
  bodyText,
  ConfirmElement,
  ConversationElement,
  KeepingFocus,
  Watching,
  avatarStyle,
  avatarUrl,
  base,
  define,
  icons,
  initials,
  isRinging,
  offerText,
  peerName,
  showHidden,
  statusText,
  theme,
  wordsFor,
} from '../../ui/src/index.ts'
import type { TransferTarget } from 'duolog/agent'
import type { ContactSession, Words } from '../../ui/src/index.ts'
import { ConsoleModel } from './console-model.ts'
import { consoleStyle } from './console-style.ts'
import { SignInEvent } from './sign-in.ts'
import { TransferElement } from './transfer-element.ts'
import './incoming-list.ts'
import './visitor-data.ts'

/** The agent's console. Attributes: `service`, `lang`, `nick` (signs in at once). */
export class DuologConsole extends LitElement {
  static override properties = {
    service: {},
    lang: {},
    nick: {},
    model: { state: true },
    showsData: { state: true },
  }
  static override styles = [theme, base, avatarStyle, consoleStyle]

  declare service: string
  declare nick: string | null
  declare model: ConsoleModel | undefined
  declare showsData: boolean
  #words: Words = wordsFor([])
  readonly #watching = new Watching(this, () => this.#changed())
  readonly #title = document.title

  constructor() {
    super()
    this.service = ''
    this.lang = ''
    this.nick = null
    this.showsData = false
    this.addController(new KeepingFocus(this, () => this.#takeFocus()))
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#words = wordsFor([this.lang, ...navigator.languages])
    this.setAttribute('lang', this.#words.lang)
    const model = new ConsoleModel(new URL(this.service || '/', document.baseURI).origin)
    this.model = model
    this.#watching.watch(model)
    document.addEventListener('visibilitychange', this.#attend)
    void model.restore(this.nick)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('visibilitychange', this.#attend)
    this.#watching.watch()
    this.model?.close()
    this.model = undefined
  }

  override render(): TemplateResult | typeof nothing {
    const { model } = this
    const words = this.#words
    if (!model) return nothing
    if (model.phase !== 'signed-in') {
      return html`<duolog-sign-in
        .words=${words}
        .isBusy=${model.phase === 'signing-in'}
        .failure=${failureText(model, words)}
        @sign-in=${this.#signIn}
      ></duolog-sign-in>`
    }
    const { selected } = model
    return html`
      <div class="console ${selected ? 'has-selection' : ''} ${this.showsData ? 'shows-data' : ''}">
        <div class="calls">${this.#otherCalls(model, words)}</div>
        <aside class="side" aria-label=${words.t('contacts')}>${this.#side(model, words)}</aside>
        <main>
          ${selected ? this.#contact(selected, model, words) : html`<p class="choose">${icons.people}<span>${words.t('chooseContact')}</span></p>`}
        </main>
        ${selected ? html`<aside class="data" aria-label=${words.t('visitorData')} data-testid="visitor-data"><duolog-visitor-data .session=${selected} .data=${selected.contact.data()} .words=${words}></duolog-visitor-data></aside>` : nothing}
      </div>
    `
  }

  /** Calls whose conversation is not shown: they go on, are heard and can be ended. */
  #otherCalls({ sessions, selected }: ConsoleModel, words: Words): TemplateResult {
    const others = sessions.filter((session) => session !== selected && session.state.callSince !== null)
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

  #side(model: ConsoleModel, words: Words): TemplateResult {
    const { identity } = model
    const picture = avatarUrl(identity?.agent.avatar, 80)
    const nick = showHidden(identity?.agent.nick ?? '')
    return html`
      <header class="me">
        <span class="avatar" aria-hidden="true"
          >${picture ? html`<img src=${picture} alt="" referrerpolicy="no-referrer" />` : initials(nick)}</span
        >
        <div class="names">
          <p class="name" dir="auto" data-testid="agent-nick">${nick}</p>
          <p class="id" data-testid="agent-id">${identity?.agent.id ?? ''}</p>
        </div>
        <button
          class="icon flips"
          data-testid="sign-out"
          aria-label=${words.t('signOut')}
          title=${words.t('signOut')}
          @click=${() => void model.signOut()}
        >
          ${icons.exit}
        </button>
      </header>
      ${this.#presence(model, words)}
      <h2>${words.t('incoming')}</h2>
      <duolog-incoming
        .model=${model}
        .words=${words}
        .incoming=${model.incoming}
        .isReady=${model.isReady}
      ></duolog-incoming>
      <h2>${words.t('contacts')}</h2>
      ${model.sessions.length === 0 ? html`<p class="none">${words.t('contactsNone')}</p>` : nothing}
      <div class="hidden-text" role="status" data-testid="news">${newsText(model, words)}</div>
      <ul class="contacts">
        ${repeat(
          model.sessions,
          ({ contact }) => contact.id,
          (session) => this.#entry(session, model, words),
        )}
      </ul>
    `
  }

  #presence(model: ConsoleModel, words: Words): TemplateResult {
    const { failure, isReady } = model
    return html`
      <div>
        <button
          class="ready"
          role="switch"
          aria-checked=${String(isReady)}
          data-testid="ready-switch"
          @click=${() => void model.setReady(!isReady)}
        >
          <span class="track" aria-hidden="true"><span class="thumb"></span></span>${words.t('ready')}
        </button>
        <div role="status" data-testid="console-connection" data-connection=${model.connection}>
          ${model.connection === 'online' ? nothing : html`<p class="note">${icons.offline}<span>${words.t('connecting')}</span></p>`}
        </div>
        <div role="alert">
          ${
            failure
              ? html`<p class="failure" data-testid="console-failure" data-code=${failure}>
                  <span>${failureText(model, words)}</span>
                  <button
                    class="icon"
                    aria-label=${words.t('dismiss')}
                    title=${words.t('dismiss')}
                    @click=${() => model.dismissFailure()}
                  >
                    ${icons.close}
                  </button>
                </p>`
              : nothing
          }
        </div>
      </div>
    `
  }

  #entry(session: ContactSession, model: ConsoleModel, words: Words): TemplateResult {
    const { state, contact } = session
    const last = state.transcript.items.findLast((item) => item.kind !== 'notice')
    const preview = state.offer
      ? words.t('call')
      : last?.kind === 'remote' || last?.kind === 'own'
        ? bodyText(last.body)
        : statusText(state, words)
    return html`
      <li>
        <button
          class="contact"
          data-testid="contact-item"
          data-id=${contact.id}
          data-stage=${state.stage}
          aria-current=${model.selected === session ? 'true' : 'false'}
          @click=${() => this.#select(contact.id)}
        >
          <span class="avatar" aria-hidden="true">${initials(peerName(state, words))}</span>
          <span class="names"
            ><span class="name" dir="auto">${showHidden(peerName(state, words))}</span
            ><span class="preview" dir="auto">${showHidden(preview)}</span></span
          >
          ${state.unread > 0 ? html`<span class="badge" data-testid="unread">${state.unread}<span class="hidden-text"> ${words.count('unread', state.unread)}</span></span>` : nothing}
          ${state.offer ? html`<span class="badge call">${icons.phone}</span>` : nothing}
        </button>
      </li>
    `
  }

  #contact(session: ContactSession, model: ConsoleModel, words: Words): TemplateResult {
    const { state, contact } = session
    // A dialog is about the contact that it was opened for, and closes with it.
    const about = html`
      <duolog-conversation .session=${session} .words=${words}></duolog-conversation>
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
        .transfer=${(to: TransferTarget) => model.transfer(contact.id, to)}
      ></duolog-transfer>
    `
    return html`${this.#bar(session, model, words)} ${keyed(session, about)}`
  }

  #bar(session: ContactSession, model: ConsoleModel, words: Words): TemplateResult {
    const { state, contact } = session
    return html`
      <header class="bar">
        <button
          class="icon flips back"
          aria-label=${words.t('back')}
          title=${words.t('back')}
          @click=${() => model.select(null)}
        >
          ${icons.back}
        </button>
        <duolog-peer .state=${state} .words=${words}></duolog-peer>
        <button
          class="icon about"
          aria-pressed=${String(this.showsData)}
          aria-label=${words.t('visitorData')}
          title=${words.t('visitorData')}
          data-testid="show-data"
          @click=${() => (this.showsData = !this.showsData)}
        >
          ${icons.person}
        </button>
        ${
          state.stage === 'ended'
            ? html`<button data-testid="dismiss-contact" @click=${() => model.dismiss(contact.id)}>
                ${words.t('dismissContact')}
              </button>`
            : html`<button
                  class="pass"
                  ?hidden=${state.stage !== 'talking'}
                  aria-haspopup="dialog"
                  data-testid="transfer-contact"
                  aria-label=${words.t('transfer')}
                  title=${words.t('transfer')}
                  @click=${() => this.#askWhere()}
                >
                  ${icons.pass}<span>${words.t('transfer')}</span>
                </button>
                <button
                  class="danger"
                  data-testid="end-contact"
                  aria-label=${words.t('endContact')}
                  title=${words.t('endContact')}
                  @click=${() => this.#askToEnd(session)}
                >
                  ${icons.exit}<span>${words.t('endContact')}</span>
                </button>`
        }
      </header>
    `
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

  #takeFocus(): void {
    void this.updateComplete.then(async () => {
      const conversation = this.renderRoot.querySelector('duolog-conversation')
      if (!(conversation instanceof ConversationElement))
        return this.renderRoot.querySelector<HTMLElement>('.ready')?.focus()
      await conversation.updateComplete
      conversation.focus()
    })
  }

  readonly #signIn = (event: Event): void => {
    if (event instanceof SignInEvent) void this.model?.signIn(event.nick)
  }

  readonly #attend = (): void => this.model?.attend()

  #changed(): void {
    const waiting =
      (this.model?.incoming.length ?? 0) +
      (this.model?.sessions.reduce((sum, { state }) => sum + state.unread + Number(isRinging(state)), 0) ?? 0)
    document.title = waiting > 0 ? `(${waiting}) ${this.#title}` : this.#title
    this.requestUpdate()
  }
}

/** Who calls where nobody looks, and whose messages wait to be read. */
const newsText = ({ sessions }: ConsoleModel, words: Words): string =>
  sessions
    .flatMap(({ state }) => [
      ...(isRinging(state) && !state.isAttended ? [showHidden(offerText(state, words))] : []),
      ...(state.unread > 0
        ? [`${showHidden(peerName(state, words))}: ${words.count('unread', state.unread)}`]
        : []),
    ])
    .join('. ')

function failureText({ failure }: ConsoleModel, words: Words): string {
  if (failure === null) return ''
  if (failure === 'paused') return words.t('pausedByService')
  return failure === 'sign-in' ? words.t('signInFailed') : words.error(failure)
}

define('duolog-console', DuologConsole)
