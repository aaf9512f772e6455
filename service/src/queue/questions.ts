import type { Kysely } from 'kysely'
import type { Entry } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { Tables } from '../store/tables.ts'
import { openingWords, questionOf } from './opening-words.ts'

interface QuestionParts {
  readonly db: Kysely<Tables>
  readonly bus: LocalBus
  readonly onFault: (thrown: unknown) => void
}

/** Tells agents what the visitor of a contact that is offered to them has written first. */
export const questionTeller =
  ({ db, bus, onFault }: QuestionParts) =>
  (contact: string, entries: readonly Entry[]): void => {
    const said = entries.find(({ type, slot }) => type === 'text' && slot === 'visitor')
    const text = questionOf(said?.body)
    if (text === undefined) return
    const tell = async (): Promise<void> => {
      const offers = await db.selectFrom('offers').select('agent').where('contact', '=', contact).execute()
      if (offers.length === 0) return
      // Later ones are for who has accepted.
      if ((await openingWords(db, [contact])).get(contact)?.question !== text) return
      for (const { agent } of offers)
        bus.publish('agent', { agent, push: { name: 'agent.question', body: { id: contact, text } } })
    }
    void tell().catch(onFault)
  }
