import type { Contact, Rating } from 'duolog'
import { ContactSession, tabHistory } from '../../ui/src/index.ts'
import type { TabHistory } from '../../ui/src/index.ts'

/** What the tab has shown: separate from what a visitor's page of the same tab keeps. */
export const shownHistory = (): TabHistory => tabHistory(() => sessionStorage, 'duolog-agent-shown:')

interface Listed {
  readonly session: ContactSession
  readonly unwatch: () => void
}

/** The contacts of the agent, and which one is shown. */
export class ContactList {
  readonly #history: TabHistory
  readonly #onChange: () => void
  readonly #listed = new Map<string, Listed>()
  #selected: string | null = null

  constructor(history: TabHistory, onChange: () => void) {
    this.#history = history
    this.#onChange = onChange
  }

  get sessions(): readonly ContactSession[] {
    return [...this.#listed.values()].map(({ session }) => session)
  }
  get selected(): ContactSession | null {
    return (this.#selected !== null && this.#listed.get(this.#selected)?.session) || null
  }

  /** The visitor of a contact has rated it. */
  rated(id: string, rating: Rating): void {
    const listed = this.#listed.get(id)
    if (listed) listed.session.rating = rating
    this.#onChange()
  }

  /** Adds a contact and enters it. */
  enter(contact: Contact): void {
    this.#close(contact.id)
    const session = new ContactSession(contact, { history: this.#history })
    this.#listed.set(contact.id, { session, unwatch: session.subscribe(this.#onChange) })
    void session.join()
  }

  /** Adds and enters those that are not listed yet; shows the first one where none is shown. */
  enterAll(contacts: readonly Contact[]): void {
    const known = new Set(this.sessions.map(({ contact }) => contact))
    for (const contact of contacts) if (!known.has(contact)) this.enter(contact)
    if (this.#selected === null && contacts[0]) this.select(contacts[0].id)
  }

  select(id: string | null): void {
    this.#selected = id
    this.attend()
    this.#onChange()
  }

  /** Tells the sessions which one is looked at. */
  attend(): void {
    for (const [id, { session }] of this.#listed)
      session.attend(id === this.#selected && document.visibilityState === 'visible')
  }

  dismiss(id: string): void {
    this.#close(id)
    if (this.#selected === id) this.#selected = null
    this.#onChange()
  }

  clear(): void {
    for (const id of [...this.#listed.keys()]) this.#close(id)
    this.#selected = null
    this.#onChange()
  }

  #close(id: string): void {
    const listed = this.#listed.get(id)
    this.#listed.delete(id)
    listed?.unwatch()
    listed?.session.close()
  }
}
