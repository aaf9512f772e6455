import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons, isRinging, offerText, showHidden } from '../../ui/src/index.ts'
import type { ContactSession, Words } from '../../ui/src/index.ts'

/** What the button needs of the widget. */
interface LauncherHost {
  readonly isOpen: boolean
  readonly label: string
  open(): void
}

/** What a visitor who does not look is told of, in words. */
export function newsOf(
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

/** The button that opens the panel, and what of a closed panel is shown or told. */
export function launcher(
  widget: LauncherHost,
  { session, words }: { readonly session: ContactSession | null; readonly words: Words },
): TemplateResult {
  const { isOpen } = widget
  const { unread, messages, call } = newsOf(session, words)
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
      ${call ? icons.phone : icons.chat}<span>${call || widget.label || words.t('openChat')}</span>${unread > 0 ? html`<span class="badge" part="badge" data-testid="unread">${unread}<span class="hidden-text"> ${messages}</span></span>` : nothing}
    </button>
    ${isOpen ? nothing : html`<duolog-live-call .session=${session} .words=${words} @open-call=${() => widget.open()}></duolog-live-call>`}
    <div class="hidden-text" role="status">${isOpen ? '' : call || messages}</div>
  `
}
