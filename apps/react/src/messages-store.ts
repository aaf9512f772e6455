import { ContactError } from 'duolog'
import type { Contact, ContactEvents, ErrorCode, TranscriptMessage } from 'duolog'
import { Store } from './store.ts'

/** A message of either party, or of the service (`notice`). */
export interface Message {
  /** Stays the same as long as the message is shown. */
  readonly key: string
  /** Given by the service; missing while the message is on its way. */
  readonly id?: string
  /** This party has sent it. */
  readonly own: boolean
  readonly type: 'text' | 'link' | 'attachment' | 'notice'
  /** What was said: the text, the address, or the name of the file. */
  readonly text: string
  readonly nick?: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Of an own message of this page. */
  readonly delivery?: 'sending' | 'sent' | 'delivered' | 'failed'
  readonly failure?: ErrorCode
}

type Said = Pick<ContactEvents['text' | 'notice'], 'id' | 'ts' | 'agent' | 'from_nick'>

/** How many of the earlier messages are read. */
const EARLIER = 200

/** The messages of one contact, in the order of its log; those that are on their way stand last. */
export class MessagesStore extends Store<readonly Message[]> {
  static readonly initial: readonly Message[] = []
  readonly #contact: Contact
  #made = 0

  constructor(contact: Contact) {
    super(MessagesStore.initial)
    this.#contact = contact
    this.#listen()
    if (contact.data().transcript.messages > 0) void this.#recall()
  }

  /** Sends a text. It is in the list at once; where it fails, its `failure` says why. */
  readonly send = async (text: string): Promise<void> => {
    const key = `own ${(this.#made += 1)}`
    this.set([
      ...this.getSnapshot(),
      { key, own: true, type: 'text', text, at: Date.now(), delivery: 'sending' },
    ])
    try {
      const id = await this.#contact.sendText(text)
      this.#change(key, (message) => ({
        ...message,
        id,
        delivery: message.delivery === 'delivered' ? 'delivered' : 'sent',
      }))
    } catch (thrown) {
      const failure = thrown instanceof ContactError ? thrown.code : 'internal'
      this.#change(key, (message) => ({ ...message, delivery: 'failed', failure }))
    }
  }

  #listen(): void {
    const contact = this.#contact
    contact.on('text', (event) => this.#heard('text', event.text, event))
    contact.on('link', (event) => this.#heard('link', event.url, event))
    contact.on('notice', (event) => this.#heard('notice', event.text, event))
    contact.on('attachment', (event) => {
      // What was said to an earlier agent is no message of this contact.
      if (event.meta.kind !== 'history') this.#heard('attachment', event.meta.originalName, event)
    })
    contact.on('localtext', (event) => this.#echoed('text', event.text, event))
    contact.on('locallink', (event) => this.#echoed('link', event.url, event))
    contact.on('ack', ({ ref }) =>
      this.set(
        this.getSnapshot().map((message) =>
          message.own && message.id === ref ? { ...message, delivery: 'delivered' } : message,
        ),
      ),
    )
  }

  #heard(type: Message['type'], text: string, { id, ts, agent, from_nick: nick }: Said): void {
    const own = agent === (this.#contact.role === 'agent')
    this.#add({ key: id, id, own, type, text, at: ts, ...(nick !== undefined && { nick }) })
  }

  /** The service has stored an own message: it takes its place in the log. */
  #echoed(type: Message['type'], text: string, { id, ts }: Pick<Said, 'id' | 'ts'>): void {
    const messages = this.getSnapshot()
    const found =
      messages.find((message) => message.id === id) ??
      messages.find((message) => message.delivery === 'sending' && message.text === text)
    this.set(messages.filter((message) => message !== found))
    const delivery = found?.delivery === 'delivered' ? 'delivered' : 'sent'
    this.#add({ key: found?.key ?? id, id, own: true, type, text, at: ts, delivery })
  }

  /** Before those that wait to be stored; what has failed does not. */
  #add(message: Message): void {
    const messages = this.getSnapshot()
    if (messages.some(({ id }) => id === message.id)) return
    const waits = ({ id, delivery }: Message): boolean => delivery === 'sending' && id === undefined
    this.set([...messages.filter((each) => !waits(each)), message, ...messages.filter(waits)])
  }

  #change(key: string, change: (message: Message) => Message): void {
    this.set(this.getSnapshot().map((message) => (message.key === key ? change(message) : message)))
  }

  /** What was said before this page came; where that cannot be read, the list begins with what is said now. */
  async #recall(): Promise<void> {
    const page = await this.#contact.readTranscript({ limit: EARLIER }).catch(() => null)
    const earlier = (page?.messages ?? []).toReversed().flatMap((message) => this.#stored(message))
    const known = new Set(earlier.map(({ id }) => id))
    this.set([...earlier, ...this.getSnapshot().filter(({ id }) => !known.has(id))])
  }

  #stored(message: TranscriptMessage): Message[] {
    const { id, ts: at, agent, from_nick: nick } = message
    const own = agent === (this.#contact.role === 'agent')
    const head = { key: id, id, own, at, ...(nick !== undefined && { nick }) }
    if (message.type === 'text' || message.type === 'notice')
      return [{ ...head, type: message.type, text: message.text }]
    if (message.type === 'link') return [{ ...head, type: 'link', text: message.url }]
    return message.type === 'attachment' && message.meta.kind !== 'history'
      ? [{ ...head, type: 'attachment', text: message.meta.originalName }]
      : []
  }
}

const stores = new WeakMap<Contact, MessagesStore>()

/** The messages of a contact: one list however many components show it. */
export function messagesOf(contact: Contact): MessagesStore {
  const store = stores.get(contact) ?? new MessagesStore(contact)
  stores.set(contact, store)
  return store
}
