import { pageChannel } from './page-channel.ts'
import type { PageChannel } from './page-channel.ts'
import type { Contact } from './sdk.ts'

/** What the tabs tell each other of a contact. */
type Told =
  | { readonly type: 'ended' }
  /** A tab was loaded, and does not know what was read meanwhile. */
  | { readonly type: 'asked' }
  /** `ref`: id of the last message of the other side. */
  | { readonly type: 'read'; readonly ref: string }

interface OwnTabsOptions {
  /** The user has ended the contact in another tab. */
  readonly onEnd: () => void
  /** The user has read in another tab: `readTo` is another one. */
  readonly onRead: () => void
}

/**
 * Other tabs of this browser in which the same party has the same contact. Leaving is of one page; who ends a
 * contact means all of them. What was read in one of them is read.
 */
export class OwnTabs {
  readonly #contact: Contact
  readonly #options: OwnTabsOptions
  readonly #channel: PageChannel
  #readTo = ''

  constructor(contact: Contact, options: OwnTabsOptions) {
    this.#contact = contact
    this.#options = options
    this.#channel = pageChannel('duolog-own-tabs', (message) => this.#heard(message))
    this.#tell({ type: 'asked' })
  }

  /** Id of the last message of the other side that was read here or in another tab; empty where none was. */
  get readTo(): string {
    return this.#readTo
  }

  /** The user has ended the contact here. */
  ended(): void {
    this.#tell({ type: 'ended' })
  }

  /** The user has read the messages of the other side here, up to one. */
  read(ref: string): void {
    if (ref === '' || ref === this.#readTo) return
    this.#readTo = ref
    this.#tell({ type: 'read', ref })
  }

  close(): void {
    this.#channel.close()
  }

  #heard(message: unknown): void {
    const { name, told } = Object(message) as { readonly name?: unknown; readonly told?: Told }
    if (name !== this.#name() || !told) return
    if (told.type === 'ended') this.#options.onEnd()
    if (told.type === 'asked' && this.#readTo) this.#tell({ type: 'read', ref: this.#readTo })
    if (told.type !== 'read') return
    this.#readTo = told.ref
    this.#options.onRead()
  }

  #tell(told: Told): void {
    this.#channel.send({ name: this.#name(), told })
  }

  #name(): string {
    const { role, id } = this.#contact
    const { agent, visitor } = this.#contact.data()
    return JSON.stringify([role, role === 'agent' ? agent?.user : visitor.id, id])
  }
}
