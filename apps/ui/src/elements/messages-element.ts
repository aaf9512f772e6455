import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { keyed } from 'lit/directives/keyed.js'
import { repeat } from 'lit/directives/repeat.js'
import type { ContactSession } from '../contact-session.ts'
import { icons } from '../icons.ts'
import { ItemWindow } from '../item-window.ts'
import { showHidden } from '../safe-text.ts'
import { base } from '../styles.ts'
import { beginsTurn } from '../transcript.ts'
import type { AttachmentBody, Item, OwnMessage, RemoteMessage } from '../transcript.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import './file-element.ts'
import { messageBody, quickRepliesOf } from './message-body.ts'
import { messagesStyle } from './messages-style.ts'
import { deliveryFailure, deliveryMark } from './own-delivery.ts'

const NEAR_END_PX = 60
const NEAR_START_PX = 400
/** As much of a message is in view that its first line can be read. */
const SEEN_PX = 28

/**
 * The list of messages. A screen reader is told of new ones only: the list is a log, and items keep their
 * elements. Earlier items of a long list are rendered when somebody scrolls back to them.
 */
class MessagesElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    items: { attribute: false },
    words: { attribute: false },
    nick: {},
    waits: { type: Boolean },
    behind: { state: true },
    extends: { state: true },
  }
  static override styles = [base, messagesStyle]

  declare session: ContactSession | undefined
  declare items: readonly Item[]
  declare words: Words | undefined
  declare nick: string
  /** Own messages wait for a key: nothing is sent in the clear. */
  declare waits: boolean
  declare behind: boolean
  /** Earlier items have been added in front, which is no news. */
  declare extends: boolean
  readonly #window = new ItemWindow()
  #followsEnd = true
  #seen = { top: 0, height: 0 }
  #sizes: ResizeObserver | undefined
  #observed: Element | null = null

  constructor() {
    super()
    this.items = []
    this.nick = ''
    this.waits = false
    this.behind = false
    this.extends = false
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#sizes?.disconnect()
    this.#sizes = undefined
    this.#observed = null
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) this.#window.reset()
    if (changed.has('items')) this.extends = false
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    const from = this.#window.start(this.items.length, this.#followsEnd)
    // Another conversation is another log: nobody is read a whole list as if it were new.
    const log = html`
      <div
        class="scroll"
        tabindex="0"
        role="log"
        aria-live=${this.extends ? 'off' : 'polite'}
        aria-relevant="additions"
        aria-label=${words.t('messages')}
        data-testid="messages"
        @scroll=${this.#scrolled}
      >
        <div class="list">
          ${repeat(
            this.items.slice(from),
            ({ key }) => key,
            (item, index) => this.#guarded(item, this.items[from + index - 1], words),
          )}
        </div>
      </div>
    `
    return html`
      ${keyed(this.session, log)}
      ${
        this.behind
          ? html`<button class="newer" @click=${this.#toEnd}>${icons.down}${words.t('newMessages')}</button>`
          : nothing
      }
    `
  }

  override updated(changed: PropertyValues<this>): void {
    this.#observe()
    void Promise.resolve().then(() => this.#tellView())
    if (!changed.has('items') && !changed.has('session')) return
    const isOwn = this.items.at(-1)?.kind === 'own' && (changed.get('items')?.length ?? 0) < this.items.length
    if (this.#followsEnd || isOwn || changed.has('session')) this.#toEnd()
    else if ((changed.get('items')?.length ?? 0) < this.items.length) this.behind = true
  }

  /** Renders an item again only when what it shows has changed: each one may hold 8 KiB of text and links. */
  #guarded(item: Item, before: Item | undefined, words: Words): unknown {
    const isFirst = beginsTurn(item, before)
    const day = dayBetween(before, item, words)
    const replies = this.#replies(item)
    const shown = [item, isFirst, day, words, this.nick, this.#mostBytes, this.waits, replies, this.#isOver]
    return guard(shown, () => [
      day === '' ? nothing : html`<p class="day" data-testid="day">${day}</p>`,
      this.#item(item, isFirst, words),
      replies ? quickRepliesOf(replies, (text) => this.session?.send(text)) : nothing,
    ])
  }

  get #isOver(): boolean {
    return this.session?.state.stage === 'ended'
  }

  /** Of the last message, as long as nobody has said anything after it. */
  #replies(item: Item): readonly string[] | undefined {
    const last = this.items.findLast(({ kind }) => kind !== 'notice')
    return item === last &&
      item.kind === 'remote' &&
      item.body.type === 'text' &&
      this.session?.state.stage === 'talking'
      ? item.body.replies
      : undefined
  }

  get #mostBytes(): number | undefined {
    return this.session?.state.local?.Media.Sharing?.MaxFileSize
  }

  #item(item: Item, isFirst: boolean, words: Words): TemplateResult {
    if (item.kind === 'notice')
      return html`<p class="notice" data-testid="notice">
        <span>${words.t(item.notice, { nick: item.nick ?? '' })}</span>
        <time dir="auto">${words.time(item.at)}</time>
      </p>`
    return item.kind === 'own' ? this.#own(item, isFirst, words) : this.#remote(item, isFirst, words)
  }

  #remote(item: RemoteMessage, isFirst: boolean, words: Words): TemplateResult {
    const nick = showHidden(item.nick ?? (item.isService ? words.t('service') : this.nick))
    return html`<div class="message remote" data-testid="message" data-own="false" data-id=${item.id ?? ''}>
      <span class=${isFirst ? 'who' : 'hidden-text'} dir="auto">${nick}</span>
      <div class="bubble" dir="auto">${this.#body(item, words)}</div>
      <div class="meta"><time dir="auto">${words.time(item.at)}</time></div>
    </div>`
  }

  #own(item: OwnMessage, isFirst: boolean, words: Words): TemplateResult {
    return html`<div class="message own" data-testid="message" data-own="true" data-delivery=${item.delivery}>
      <span class="hidden-text">${isFirst ? words.t('you') : ''}</span>
      <div class="bubble" dir="auto">${this.#body(item, words)}</div>
      <div class="meta">
        <time dir="auto">${words.time(item.at)}</time>
        ${deliveryMark(item.delivery, words)}
        ${
          item.delivery === 'sending' && this.waits
            ? html`<span data-testid="waits-for-key">${words.t('waitsForEncryption')}</span>`
            : nothing
        }
      </div>
      ${deliveryFailure(item, this.session, words)}
    </div>`
  }

  #body(item: OwnMessage | RemoteMessage, words: Words): unknown {
    if (item.body.type !== 'file')
      return messageBody(item.body, { hasPictures: this.session?.state.role === 'visitor' })
    const progress = item.kind === 'own' && item.delivery === 'sending' ? (item.progress ?? 0) : null
    return html`<duolog-file
      .session=${this.session}
      .words=${words}
      .file=${this.#isOver ? unopened(item.body) : item.body}
      .item=${item.key}
      .progress=${progress}
    ></duolog-file>`
  }

  #scroll(): Element | null {
    return this.renderRoot.querySelector('.scroll')
  }

  readonly #scrolled = (): void => {
    const scroll = this.#scroll()
    if (!scroll) return
    const { scrollTop: top, clientHeight: height, scrollHeight } = scroll
    const isAtEnd = scrollHeight - top - height < NEAR_END_PX
    const hasGoneBack = top < this.#seen.top && height === this.#seen.height
    this.#seen = { top, height }
    if (isAtEnd) this.behind = false
    this.#tellView()
    if (isAtEnd || hasGoneBack) this.#followsEnd = isAtEnd
    if (top < NEAR_START_PX && !this.#followsEnd && this.#window.extend()) this.#extend(scroll)
  }

  /** Which message of the other side is the last in view: where the list has no height, none is. */
  #tellView(): void {
    const end = this.#scroll()?.getBoundingClientRect()
    if (!end || end.height === 0 || !this.session) return
    const remote = [...this.renderRoot.querySelectorAll<HTMLElement>('.remote')]
    const last = remote.findLast((each) => each.getBoundingClientRect().top + SEEN_PX <= end.bottom)
    const id = last?.dataset['id']
    if (id) this.session.receipts.inView(id)
  }

  /** Renders earlier items; those that are seen stay where they are. */
  #extend(scroll: Element): void {
    const first = scroll.querySelector('.list')?.firstElementChild
    const before = first?.getBoundingClientRect().top ?? 0
    this.extends = true
    this.requestUpdate()
    void this.updateComplete.then(() => {
      scroll.scrollTop += (first?.getBoundingClientRect().top ?? before) - before
    })
  }

  readonly #toEnd = (): void => {
    const scroll = this.#scroll()
    if (scroll) {
      scroll.scrollTop = scroll.scrollHeight
      this.#seen = { top: scroll.scrollTop, height: scroll.clientHeight }
    }
    this.#followsEnd = true
    this.behind = false
  }

  #observe(): void {
    const scroll = this.#scroll()
    if (!scroll || this.#observed === scroll) return
    this.#sizes?.disconnect()
    this.#sizes = new ResizeObserver(() => {
      if (this.#followsEnd) this.#toEnd()
      this.#tellView()
    })
    this.#sizes.observe(scroll)
    if (scroll.firstElementChild) this.#sizes.observe(scroll.firstElementChild)
    this.#observed = scroll
  }
}

/** The day that begins with an item, in words; of the first item only where it is not today. */
function dayBetween(before: Item | undefined, item: Item, words: Words): string {
  const [day, last] = [words.day(item.at), words.day(before?.at ?? Date.now())]
  return day === last ? '' : day
}

/** Files of a contact that is over are opened by nobody: their names stay. */
const unopened = ({ id: _id, ...file }: AttachmentBody): AttachmentBody => file

define('duolog-messages', MessagesElement)
