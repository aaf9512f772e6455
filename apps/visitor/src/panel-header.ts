import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { hasPictures, icons, mayAskToNotify } from '../../ui/src/index.ts'
import type { ContactSession, Words } from '../../ui/src/index.ts'

/** What the header shows and does. */
interface Header {
  readonly session: ContactSession | null
  readonly words: Words
  readonly leave: () => void
  readonly close: () => void
}

/** The head of the panel: who is there, and the panel's size, end and closing. */
export function panelHeader(
  panel: { isEnlarged: boolean; hasSound: boolean; readonly silent: boolean },
  { session, words, leave, close }: Header,
): TemplateResult {
  return html`
    <header part="header" role="none">
      ${session ? html`<duolog-peer .session=${session} .state=${session.state} .words=${words}></duolog-peer>` : html`<h2 class="title">${words.t('openChat')}</h2>`}
      ${session && (hasPictures(session.state) || panel.isEnlarged) ? sizeButton(panel, words) : nothing}
      ${session && session.state.stage !== 'ended' && mayAskToNotify() ? bell(words) : nothing}
      ${session && session.state.stage !== 'ended' && !panel.silent ? soundSwitch(panel, words) : nothing}
      ${
        session && session.state.stage !== 'ended'
          ? html`<button
              class="icon flips"
              data-testid="leave"
              aria-label=${words.t('leave')}
              title=${words.t('leave')}
              @click=${leave}
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
        @click=${close}
      >
        ${icons.down}
      </button>
    </header>
  `
}

/** Asks the browser, which asks the visitor; the button goes away with the answer. */
const bell = (words: Words): TemplateResult =>
  html`<button
    class="icon"
    data-testid="notify-me"
    aria-label=${words.t('notifyMe')}
    title=${words.t('notifyMe')}
    @click=${({ currentTarget }: Event) =>
      void Notification.requestPermission().then(
        () => currentTarget instanceof HTMLElement && (currentTarget.hidden = !mayAskToNotify()),
      )}
  >
    ${icons.bell}
  </button>`

/** The visitor's own: a site can be silent for all of them. */
const soundSwitch = (panel: { hasSound: boolean }, words: Words): TemplateResult =>
  html`<button
    class="icon"
    role="switch"
    aria-checked=${String(panel.hasSound)}
    data-testid="sounds"
    aria-label=${words.t('sounds')}
    title=${words.t('sounds')}
    @click=${() => (panel.hasSound = !panel.hasSound)}
  >
    ${panel.hasSound ? icons.sound : icons.soundOff}
  </button>`

function sizeButton(panel: { isEnlarged: boolean }, words: Words): TemplateResult {
  const label = words.t(panel.isEnlarged ? 'shrink' : 'enlarge')
  return html`<button
    class="icon size"
    data-testid="enlarge"
    aria-label=${label}
    title=${label}
    @click=${() => (panel.isEnlarged = !panel.isEnlarged)}
  >
    ${panel.isEnlarged ? icons.shrink : icons.enlarge}
  </button>`
}
