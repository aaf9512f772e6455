import { html } from 'lit'
import type { TemplateResult } from 'lit'
import { icons, transcriptFile } from '../../ui/src/index.ts'
import type { ContactSession, Words } from '../../ui/src/index.ts'

/** What can be done when the contact is over: keep what was said, and begin anew. */
export function afterEnd(
  session: ContactSession,
  { words, again }: { readonly words: Words; readonly again: () => void },
): TemplateResult {
  return html`<div class="after">
    <button class="primary" data-testid="start-again" @click=${again}>${words.t('startAgain')}</button>
    <button data-testid="save-transcript" @click=${() => save(session, words)}>
      ${icons.save}${words.t('saveTranscript')}
    </button>
  </div>`
}

function save({ state, contact }: ContactSession, words: Words): void {
  const text = transcriptFile(state.transcript.items, state.peer?.nick ?? words.t('agent'), words)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = `chat-${contact.data().created.slice(0, 10)}.txt`
  link.click()
  URL.revokeObjectURL(link.href)
}
