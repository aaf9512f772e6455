import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons, isPageHidden, isRinging, offerText, showHidden } from '../../ui/src/index.ts'
import type { ContactSession, News, Words } from '../../ui/src/index.ts'

/** What the button needs of the widget. */
interface LauncherHost {
  readonly isOpen: boolean
  readonly label: string
  hidden: HTMLElement['hidden']
  open(): void
}

/** What a visitor who does not look is told of, in words. */
function newsOf(
  session: ContactSession | null,
  words: Words,
): { readonly unread: number; readonly messages: string; readonly call: string } {
  const state = session?.state
  const unread = state?.unread ?? 0
  return {
    unread,
    messages: unread > 0 ? words.count('unread', unread) : '',
    call: state && isRinging(state) ? showHidden(offerText(state, words)) : '',
  }
}

interface Shown {
  readonly session: ContactSession | null
  readonly words: Words
  /** A message left for later has its answer, which nobody has looked at. */
  readonly isAnswered: boolean
}

/** What calls the visitor back; a notification is for who does not see the page. */
export function alertsFor(session: ContactSession | null, words: Words): Omit<News, 'hasSound'> {
  const { unread, messages, call } = newsOf(session, words)
  const isHidden = isPageHidden()
  const waiting = [
    { id: 'messages', count: unread, rings: false, text: isHidden ? messages : '' },
    { id: 'call', count: call ? 1 : 0, rings: true, text: isHidden ? call : '' },
  ]
  return { count: unread, waiting, hasNotices: true }
}

/** The visitor goes to the call, also where the page has taken the widget out of sight. */
function show(widget: LauncherHost): void {
  widget.hidden = false
  widget.open()
}

/** The button that opens the panel, and what of a closed panel is shown or told. */
export function launcher(widget: LauncherHost, { session, words, isAnswered }: Shown): TemplateResult {
  const { isOpen } = widget
  const { call, ...news } = newsOf(session, words)
  const { unread, messages } = isAnswered ? { unread: 1, messages: words.t('answeredNews') } : news
  return html`
    <button
      class="launcher primary"
      part="launcher"
      ?hidden=${isOpen}
      data-testid="launcher"
      aria-haspopup="dialog"
      aria-expanded="false"
      @click=${() => widget.open()}
    >
      ${call ? icons.phone : icons.chat}<span>${call || widget.label || words.t('openChat')}</span>${unread > 0 ? html`<span class="badge" part="badge" data-testid="unread"><span aria-hidden="true">${unread}</span><span class="hidden-text"> ${messages}</span></span>` : nothing}
    </button>
    ${isOpen && !widget.hidden ? nothing : html`<duolog-live-call .session=${session} .words=${words} @open-call=${() => show(widget)}></duolog-live-call>`}
    <div class="hidden-text" role="status">${isOpen ? '' : call || messages}</div>
  `
}
