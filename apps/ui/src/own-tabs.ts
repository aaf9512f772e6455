import { pageChannel } from './page-channel.ts'
import type { PageChannel } from './page-channel.ts'
import type { Contact } from './sdk.ts'

/**
 * Other tabs of this browser in which the same party has the same contact. Leaving is of one page; who ends a
 * contact means all of them.
 */
export class OwnTabs {
  readonly #contact: Contact
  readonly #channel: PageChannel

  /** `onEnd`: the user has ended the contact in another tab. */
  constructor(contact: Contact, onEnd: () => void) {
    this.#contact = contact
    this.#channel = pageChannel('duolog-ended', (name) => {
      if (name === this.#name()) onEnd()
    })
  }

  /** The user has ended the contact here. */
  ended(): void {
    this.#channel.send(this.#name())
  }

  close(): void {
    this.#channel.close()
  }

  #name(): string {
    const { role, id } = this.#contact
    const { agent, visitor } = this.#contact.data()
    return JSON.stringify([role, role === 'agent' ? agent?.user : visitor.id, id])
  }
}
