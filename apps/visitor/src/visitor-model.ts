import { createClient } from 'duolog'
import type { Client, ClientOptions, Contact, DataCollection, ErrorCode, Rating } from 'duolog'
import { inspection } from '../../inspector/src/recorder.ts'
import { Changes, ContactSession, codeOf, tabHistory, untilDecided } from '../../ui/src/index.ts'
import type { Observable, SessionOptions } from '../../ui/src/index.ts'
import { tellRefusal } from './identity.ts'
import { isRead, rememberRead } from './panel-memory.ts'
import { messageOf, tellDeveloper } from './tell-developer.ts'

export interface Start {
  /** Missing where the site says who the visitor is. */
  readonly nick?: string
  readonly lang: string
  readonly firstMessage: string
  readonly data: DataCollection
  /** Skills that the agent should have. */
  readonly tags?: readonly string[]
  /** Encrypted from end to end. */
  readonly secure?: boolean
  /** A message for later: always, or where nobody is there. */
  readonly later?: true | 'unattended'
}

/** What a site sets of a visitor's part in contacts. */
export type VisitorOptions = Pick<ClientOptions, 'identity'> & Pick<SessionOptions, 'receipts'>

/**
 * `resuming` while it is not yet known whether an earlier page left a contact open; `unreachable` while that
 * cannot be known.
 */
type Phase = 'resuming' | 'unreachable' | 'form' | 'starting' | 'conversation'

/** The visitor's side of the widget: none or one contact. */
export class VisitorModel implements Observable {
  readonly #client: Client
  readonly #receipts: VisitorOptions['receipts']
  readonly #changes = new Changes()
  #phase: Phase = 'resuming'
  #session: ContactSession | null = null
  #failure: ErrorCode | null = null
  #answered: string | null = null
  #isUnattended = false
  readonly #isIdentified: boolean
  readonly #closed = new AbortController()

  constructor(service: string, { receipts, ...options }: VisitorOptions = {}) {
    this.#client = createClient({ service, ...options, ...inspection('visitor') })
    this.#receipts = receipts
    this.#isIdentified = options.identity !== undefined
  }

  get phase(): Phase {
    return this.#phase
  }

  get session(): ContactSession | null {
    return this.#session
  }

  /** Reads the visitor's earlier contacts. */
  get earlier(): Pick<Client, 'history' | 'readTranscript'> {
    return this.#client
  }

  /** A message left for later has been answered, and the contact is over: its id. */
  get answered(): string | null {
    return this.#answered
  }

  /** Nobody has looked at the answer. */
  get hasNewAnswer(): boolean {
    return this.#answered !== null && !isRead(this.#answered)
  }

  /** Somebody looks at the answer. */
  readAnswer(): void {
    if (this.#answered !== null) rememberRead(this.#answered)
  }

  /** Why the last start failed. */
  get failure(): ErrorCode | null {
    return this.#failure
  }

  /** Nobody was there for the last start, which had no message. */
  get isUnattended(): boolean {
    return this.#isUnattended
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /**
   * Takes up the contact that an earlier page left open. Resolves to whether there was one; a network that is
   * away says nothing about that.
   */
  async resume(): Promise<boolean> {
    try {
      const { contact, answered = null } = await untilDecided(() => this.#client.resumeContact(), {
        signal: this.#closed.signal,
        onUndecided: () => this.#become('unreachable'),
      })
      if (contact) this.#enter(contact)
      this.#answered = answered
    } catch (error) {
      // A new contact can be started all the same, and tells then what is wrong.
      if (this.#isIdentified) tellRefusal(codeOf(error))
    }
    this.#become(this.#session ? 'conversation' : 'form')
    return this.#session !== null
  }

  async start({ firstMessage, secure, ...options }: Start): Promise<void> {
    if (this.#phase !== 'form') return
    this.#failure = null
    this.#become('starting')
    try {
      const contact = await this.#client.createContact({ ...options, ...(secure && { secure }) })
      // A message for later without words: nobody could answer it.
      this.#isUnattended = firstMessage === '' && contact.data().later === true
      if (this.#isUnattended) await contact.leave().catch(() => {})
      else this.#talk(contact, firstMessage)
    } catch (error) {
      this.#failure = codeOf(error)
      if (this.#isIdentified) tellRefusal(this.#failure)
      // The visitor can change nothing of what the site has set.
      if (this.#failure === 'invalid_argument') tellDeveloper(`<duolog-widget>: ${messageOf(error)}`)
    }
    this.#become(this.#session ? 'conversation' : 'form')
  }

  #talk(contact: Contact, firstMessage: string): void {
    const session = this.#enterOrLeave(contact)
    this.#answered = null
    if (firstMessage) session?.send(firstMessage)
  }

  /** Rates the conversation that has ended. Rejects as `rate` of a client. */
  async rate(rating: Rating): Promise<void> {
    if (this.#session) await this.#client.rate(this.#session.contact.id, rating)
  }

  /** Back to the form, after a conversation has ended. */
  reset(): void {
    this.#session?.close()
    this.#session = null
    this.#become('form')
  }

  close(): void {
    this.#closed.abort()
    this.#session?.close()
    void this.#client.close()
  }

  /** A contact that this page cannot show stays in no queue. */
  #enterOrLeave(contact: Contact): ContactSession | null {
    try {
      return this.#enter(contact)
    } catch (thrown) {
      contact.leave().catch(() => {})
      throw thrown
    }
  }

  /** A widget that was removed meanwhile has nothing to show, and nobody would close what it listens with. */
  #enter(contact: Contact): ContactSession | null {
    const receipts = this.#receipts && { receipts: this.#receipts }
    if (!this.#closed.signal.aborted)
      this.#session = new ContactSession(contact, { history: history(), ...receipts })
    return this.#session
  }

  #become(phase: Phase): void {
    this.#phase = phase
    this.#changes.announce()
  }
}

const history = (): ReturnType<typeof tabHistory> => tabHistory(() => sessionStorage)
