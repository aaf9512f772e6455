import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons, isSaid, transcriptFile } from '../../ui/src/index.ts'
import type { ContactSession, Words } from '../../ui/src/index.ts'
import type { Rate } from './rating-element.ts'
import './rating-element.ts'

interface After {
  readonly words: Words
  readonly rate: Rate
  readonly again: () => void
}

/** What can be done when the contact is over: rate who was there, keep what was said, and begin anew. */
function afterEnd(session: ContactSession, { words, rate, again }: After): TemplateResult {
  const { agent, secure } = session.contact.data()
  const canRate = agent && session.state.ending !== 'refused'
  return html`${
      canRate
        ? html`<duolog-rating .words=${words} .rate=${rate} ?secure=${secure}></duolog-rating>`
        : nothing
    }
    <div class="after">
      <button class="primary" data-testid="start-again" @click=${again}>${words.t('startAgain')}</button>
      ${wasSaid(session) ? saveButton(session, words) : nothing}
    </div>`
}

/** What is said, and afterwards what can be done. */
export const conversationView = (session: ContactSession, after: After): TemplateResult =>
  html`<duolog-conversation .session=${session} .words=${after.words}></duolog-conversation>
    ${session.state.stage === 'ended' ? afterEnd(session, after) : nothing}`

/** Somebody has written something. */
const wasSaid = ({ state }: ContactSession): boolean =>
  state.transcript.items.some((item) => item.kind !== 'notice' && isSaid(item))

const saveButton = (session: ContactSession, words: Words): TemplateResult =>
  html`<button data-testid="save-transcript" @click=${() => save(session, words)}>
    ${icons.save}${words.t('saveTranscript')}
  </button>`

function save({ state, contact }: ContactSession, words: Words): void {
  const text = transcriptFile(state.transcript.items, state.peer?.nick ?? words.t('agent'), words)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = `chat-${contact.data().created.slice(0, 10)}.txt`
  link.click()
  URL.revokeObjectURL(link.href)
}
