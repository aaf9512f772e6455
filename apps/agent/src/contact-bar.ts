/**
 * The bar above a conversation of the console: who the visitor is, and what the agent can do with the
 * contact.
 */
import { html } from 'lit'
import type { TemplateResult } from 'lit'
import { hasVisitorLeft, icons } from '../../ui/src/index.ts'
import type { ContactSession, DeskWords } from '../../ui/src/index.ts'

interface ContactBar {
  readonly session: ContactSession
  readonly words: DeskWords
  readonly showsData: boolean
  readonly onBack: () => void
  readonly onData: () => void
  readonly onDismiss: () => void
  readonly onTransfer: () => void
  readonly onEnd: () => void
}

export function contactBar(bar: ContactBar): TemplateResult {
  const { session, words: desk } = bar
  const { words } = desk
  const { state } = session
  return html`
    <header class="bar">
      <button
        class="icon flips back"
        aria-label=${words.t('back')}
        title=${words.t('back')}
        @click=${bar.onBack}
      >
        ${icons.back}
      </button>
      <duolog-peer .session=${session} .state=${state} .words=${words}></duolog-peer>
      <button
        class="icon about"
        aria-pressed=${String(bar.showsData)}
        aria-label=${desk.t('aboutAndNotes')}
        title=${desk.t('aboutAndNotes')}
        data-testid="show-data"
        @click=${bar.onData}
      >
        ${icons.person}
      </button>
      ${state.stage === 'ended' ? dismissal(bar) : ways(bar)}
    </header>
  `
}

const dismissal = ({ words: { words }, onDismiss }: ContactBar): TemplateResult =>
  html`<button
    class="dismiss"
    data-testid="dismiss-contact"
    aria-label=${words.t('dismissContact')}
    title=${words.t('dismissContact')}
    @click=${onDismiss}
  >
    ${icons.close}<span>${words.t('dismissContact')}</span>
  </button>`

/** How the agent hands the contact on or ends it. */
const ways = ({ session, words: { words }, onTransfer, onEnd }: ContactBar): TemplateResult =>
  html`<button
      class="pass"
      ?hidden=${session.state.stage !== 'talking' || hasVisitorLeft(session.state)}
      aria-haspopup="dialog"
      data-testid="transfer-contact"
      aria-label=${words.t('transfer')}
      title=${words.t('transfer')}
      @click=${onTransfer}
    >
      ${icons.pass}<span>${words.t('transfer')}</span>
    </button>
    <button
      class="danger"
      data-testid="end-contact"
      aria-label=${words.t('endContact')}
      title=${words.t('endContact')}
      @click=${onEnd}
    >
      ${icons.exit}<span>${words.t('endContact')}</span>
    </button>`
