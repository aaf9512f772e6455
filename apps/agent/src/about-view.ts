import { html } from 'lit'
import type { TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import type { ContactSession, DeskWords, Words } from '../../ui/src/index.ts'
import type { ConsoleModel } from './console-model.ts'
import { loadPart } from './late-desk.ts'
import './visitor-data.ts'

interface About {
  readonly session: ContactSession
  readonly agent: ConsoleModel['agent']
  readonly words: Words
  readonly desk: DeskWords
}

/** What is known of the visitor, and what agents wrote about the contact. */
export function aboutView({ session, agent, words, desk }: About): TemplateResult {
  const { contact, state } = session
  const data = contact.data()
  void loadPart('notes').catch(() => undefined)
  return html`<aside class="data" aria-label=${desk.t('aboutAndNotes')}>
    <duolog-visitor-data
      data-testid="visitor-data"
      .session=${session}
      .data=${data}
      .rating=${session.rating}
      .words=${words}
    ></duolog-visitor-data>
    ${keyed(
      session,
      html`<duolog-notes
        .agent=${agent}
        .draftOf=${session}
        .contact=${contact.id}
        .words=${desk}
        .isSecure=${data.secure}
        .isOver=${state.stage === 'ended'}
      ></duolog-notes>`,
    )}
  </aside>`
}
