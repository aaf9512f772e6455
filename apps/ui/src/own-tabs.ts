import type { Contact } from './sdk.ts'

/**
 * Other tabs of this browser in which the same party has the same contact. Leaving is of one page; who ends a
 * contact means all of them.
 */
export class OwnTabs {
  readonly #contact: Contact
  readonly #channel: BroadcastChannel

  /** `onEnd`: the user has ended the contact in another tab. */
  constructor(contact: Contact, onEnd: () => void) {
    this.#contact = contact
    this.#channel = new BroadcastChannel('duolog-ended')
    this.#channel.addEventListener('message', ({ data }) => {
      if (data === this.#name()) onEnd()
    })
  }

  /** The user has ended the contact here. */
  ended(): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows
    this.#channel.postMessage(this.#name())
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
