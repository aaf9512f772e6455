import type { Contact, Rating } from 'duolog'
import type { Agent } from 'duolog/agent'
import { ContactSession, after, tabHistory } from '../../ui/src/index.ts'
import type { TabHistory } from '../../ui/src/index.ts'
import { untilTold } from './agent-answers.ts'

/** A page of the agent that has taken a contact enters it before the others do: it has the call then. */
const ENTERED_MS = 3_000

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

  /**
   * Enters the contacts that the agent has, and shows the first of them. Until the agent signs out also those
   * that another page of the agent takes, maybe while this one has no connection.
   */
  follow(agent: Agent, contacts: readonly Contact[], signal: AbortSignal): void {
    for (const contact of contacts) this.enter(contact)
    if (this.#selected === null && contacts[0]) this.select(contacts[0].id)
    const enterOthers = (): void => void this.#enterOthers(agent, signal)
    agent.on('rating', ({ id, ...rating }) => this.#rated(id, rating), { signal })
    agent.on('withdrawn', ({ own }) => own && after(ENTERED_MS, enterOthers, signal), { signal })
    agent.on('connection', ({ state }) => state === 'online' && enterOthers(), { signal })
  }

  /** The visitor of a contact has rated it. */
  #rated(id: string, rating: Rating): void {
    const listed = this.#listed.get(id)
    if (listed) listed.session.rating = rating
    this.#onChange()
  }

  async #enterOthers(agent: Agent, signal: AbortSignal): Promise<void> {
    const asked = { agent, signal, onUndecided: () => {} }
    const contacts = await untilTold(() => agent.contacts(), asked).catch(() => [])
    if (signal.aborted) return
    for (const contact of contacts) this.enter(contact)
    this.#onChange()
  }

  /** Adds a contact and enters it, unless it is here. */
  enter(contact: Contact): void {
    if (this.#listed.get(contact.id)?.session.contact === contact) return
    this.#close(contact.id)
    const session = new ContactSession(contact, { history: this.#history })
    this.#listed.set(contact.id, { session, unwatch: session.subscribe(this.#onChange) })
    void session.join()
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
