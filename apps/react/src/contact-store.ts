import { ContactError, createClient } from 'duolog'
import type { Client, ClientOptions, Contact, ContactOptions } from 'duolog'
import { Store } from './store.ts'
import { messagesOf } from './messages-store.ts'

/**
 * `resuming`: it is not known yet whether an earlier page left a contact open; `none`: none is; `starting`;
 * `open`; `ended`.
 */
export type ContactPhase = 'resuming' | 'none' | 'starting' | 'open' | 'ended'

/** What is known of the visitor's contact. */
export interface ContactSnapshot {
  readonly phase: ContactPhase
  /** The contact that is open, or that has ended last. */
  readonly contact: Contact | null
  /** Why it could not be started or resumed. */
  readonly error: ContactError | null
}

/** The visitor's side of a page: none or one contact. It lives while somebody is subscribed. */
export class ContactStore extends Store<ContactSnapshot> {
  static readonly initial: ContactSnapshot = { phase: 'resuming', contact: null, error: null }
  readonly #options: ClientOptions
  #client: Client | null = null

  constructor(options: ClientOptions) {
    super(ContactStore.initial)
    this.#options = options
  }

  readonly start = async (options: ContactOptions = {}): Promise<void> => {
    const client = this.#client
    const { phase } = this.getSnapshot()
    if (!client || (phase !== 'none' && phase !== 'ended')) return
    this.set({ phase: 'starting', contact: null, error: null })
    await this.#settle(client, () => client.createContact(options))
  }

  readonly leave = async (): Promise<void> => {
    await this.getSnapshot().contact?.leave()
  }

  protected override opened(): void {
    const client = createClient(this.#options)
    this.#client = client
    this.set(ContactStore.initial)
    void this.#settle(client, async () => (await client.resumeContact()).contact)
  }

  protected override closed(): void {
    void this.#client?.close()
    this.#client = null
  }

  async #settle(client: Client, task: () => Promise<Contact | null>): Promise<void> {
    try {
      const contact = await task()
      if (this.#client !== client) return
      if (contact) this.#enter(contact)
      else this.set({ phase: 'none', contact: null, error: null })
    } catch (thrown) {
      if (this.#client !== client) return
      const error = thrown instanceof ContactError ? thrown : null
      this.set({ phase: 'none', contact: null, error })
    }
  }

  /** In the task in which the contact was got: no message of it is missed. */
  #enter(contact: Contact): void {
    messagesOf(contact)
    const end = (): void => {
      if (this.getSnapshot().contact === contact) this.set({ phase: 'ended', contact, error: null })
    }
    contact.on('localleft', end)
    contact.on('cleared', end)
    this.set({ phase: 'open', contact, error: null })
  }
}
