/** What a visitor whom the site names has said before: their earlier contacts, and the messages of one. */
import type { Client, ErrorCode } from 'duolog'
import { Changes, codeOf, earlierItems } from '../../ui/src/index.ts'
import type { Observable } from '../../ui/src/index.ts'

/** The client, as far as earlier contacts need it. */
export type EarlierSource = Pick<Client, 'history' | 'readTranscript'>

type Past = Awaited<ReturnType<Client['history']>>['contacts'][number]

/** Messages that are read at once. */
const PAGE = 100

interface Opened {
  readonly contact: Past
  readonly items: ReturnType<typeof earlierItems>
  /** Cursor of what was said before; null where that is all, undefined while nothing is read. */
  readonly before: string | null | undefined
}

/** Reads pages of contacts and of messages, one after the other. */
export class EarlierContacts implements Observable {
  readonly #source: EarlierSource
  readonly #changes = new Changes()
  #contacts: readonly Past[] = []
  #before: string | null | undefined
  #opened: Opened | null = null
  #failure: ErrorCode | null = null
  #isLoading = false

  constructor(source: EarlierSource) {
    this.#source = source
  }

  /** Those that have messages, the newest first: also one that the visitor has left and the agent has not yet. */
  get contacts(): readonly Past[] {
    return this.#contacts
  }

  get opened(): Opened | null {
    return this.#opened
  }

  /** There is more: of the messages of the opened contact, else of the contacts. */
  get hasMore(): boolean {
    return (this.#opened ? this.#opened.before : this.#before) !== null
  }

  get isLoading(): boolean {
    return this.#isLoading
  }

  get failure(): ErrorCode | null {
    return this.#failure
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /** Reads the first contacts, and opens one of them. */
  async begin(id: string): Promise<void> {
    await this.more()
    const first = this.#contacts.find((contact) => contact.id === id)
    if (first && !this.#opened) await this.open(first)
  }

  /** Reads what comes next. */
  async more(): Promise<void> {
    if (this.#isLoading || !this.hasMore) return
    const opened = this.#opened
    this.#became(true, null)
    try {
      if (opened) await this.#readMessages(opened)
      else await this.#readContacts()
      this.#became(false, null)
    } catch (error) {
      this.#became(false, codeOf(error))
    }
    // Another was chosen while this one was read.
    if (this.#opened && this.#opened.contact !== opened?.contact) await this.more()
  }

  open(contact: Past): Promise<void> {
    this.#opened = { contact, items: [], before: undefined }
    this.#became(this.#isLoading, null)
    return this.more()
  }

  /** Back to the list. */
  close(): void {
    this.#opened = null
    this.#became(this.#isLoading, null)
  }

  async #readContacts(): Promise<void> {
    const { contacts, before } = await this.#source.history(this.#before ?? null)
    this.#contacts = [...this.#contacts, ...contacts.filter(({ messages }) => messages > 0)]
    this.#before = before
  }

  async #readMessages({ contact, items, before }: Opened): Promise<void> {
    const where = { limit: PAGE, ...(before && { before }) }
    const page = await this.#source.readTranscript(contact.id, where)
    if (this.#opened?.contact === contact)
      this.#opened = { contact, items: [...earlierItems(page.messages), ...items], before: page.before }
  }

  #became(isLoading: boolean, failure: ErrorCode | null): void {
    this.#isLoading = isLoading
    this.#failure = failure
    this.#changes.announce()
  }
}
