import { ContactError, foldContact, initialContactState, parseDraft } from '../protocol/index.ts'
import type {
  Appended,
  Clock,
  ContactStart,
  ContactState,
  Draft,
  Entry,
  ServiceBodies,
  ServiceEntryType,
} from '../protocol/index.ts'
import type { Party } from './party.ts'

/** Who appends, and what the log asks of the contact. */
export interface Appending {
  readonly author: Party
  readonly session: string
  /** Whether nothing can be written any more. */
  readonly isOver: () => boolean
  /** The session has announced itself. */
  readonly onPresent: () => void
}

/** The log of one contact in memory: its entries, and the rules by which a party appends. */
export class MemoryLog {
  readonly entries: Entry[] = []
  state: ContactState
  readonly #clock: Clock
  readonly #counters = new Map<string, number>()
  readonly #seqs = new Map<string, number>()

  constructor(clock: Clock, start: ContactStart) {
    this.#clock = clock
    this.state = initialContactState('visitor', start)
  }

  hasSession = (session: string): boolean => this.#counters.has(session)

  addSession(session: string): void {
    if (!this.#counters.has(session)) this.#counters.set(session, 0)
  }

  /** Last counter that a session has used. */
  counterOf = (session: string): number => this.#counters.get(session) ?? 0

  /**
   * Fails where a call is refused as a whole, and uses up nothing.
   *
   * @throws {@link ContactError} `invalid_argument`, `not_joined`, `left`
   */
  checkCall(drafts: readonly unknown[], { author, session, isOver }: Appending): void {
    const heads = drafts.map(
      (draft) => (draft ?? {}) as { readonly id?: unknown; readonly session?: unknown },
    )
    if (new Set(heads.map(({ id }) => id)).size < heads.length)
      throw new ContactError('invalid_argument', 'unable to append; two drafts have the same id')
    if (heads.some((head) => head.session !== session))
      throw new ContactError('invalid_argument', 'unable to append; a draft names another session')
    if (!this.#counters.has(session))
      throw new ContactError('not_joined', 'unable to append; this session has not opened the contact')
    if (isOver() && heads.some(({ id }) => !this.#isStored(String(id), author)))
      throw new ContactError('left', 'unable to append; the contact is over')
  }

  #isStored(id: string, { slot }: Party): boolean {
    return this.entries[(this.#seqs.get(id) ?? 0) - 1]?.slot === slot
  }

  /** Checks and stores what a party wrote, as the service does. */
  append(raw: unknown, { author, session, onPresent }: Appending): Appended {
    const id = String((raw as { readonly id?: unknown } | null)?.id)
    const known = this.#seqs.get(id)
    if (known !== undefined && this.entries[known - 1]?.slot === author.slot) return { id, seq: known }
    try {
      if (known !== undefined)
        throw new ContactError('invalid_argument', 'unable to append; the id is that of another entry')
      const counter = Number((raw as { readonly counter?: unknown } | null)?.counter)
      if (counter !== this.counterOf(session) + 1)
        throw new ContactError(
          'invalid_state',
          `unable to append; the next counter of the session is ${this.counterOf(session) + 1}`,
        )
      this.#counters.set(session, counter)
      const draft = parseDraft(raw)
      const seq = this.#store(author, draft)
      if (draft.type === 'present') onPresent()
      return { id, seq }
    } catch (thrown) {
      const error = thrown as ContactError
      return { id, error: { code: error.code, message: error.message } }
    }
  }

  /** A message that the party has acknowledged is not acknowledged again. */
  #store(party: Party, draft: Draft): number {
    const { id, nick } = party
    const ack = draft.type === 'ack' ? `${party.slot} acknowledges ${draft.body.ref}` : null
    const earlier = ack === null ? undefined : this.#seqs.get(ack)
    if (earlier !== undefined) return earlier
    const seq = this.#push({
      ...draft,
      seq: this.entries.length + 1,
      slot: party.slot,
      time: this.#clock.now(),
      from: { id, ...(nick !== undefined && { nick }) },
    })
    if (ack !== null) this.#seqs.set(ack, seq)
    return seq
  }

  /** Writes an entry of the service. Returns its number. */
  write<T extends ServiceEntryType>(type: T, body: ServiceBodies[T], id?: string): number {
    const seq = this.entries.length + 1
    return this.#push({
      ...{ seq, id: id ?? `service.${seq}`, time: this.#clock.now() },
      ...{ slot: 'service', type, body },
    } as Entry)
  }

  #push(entry: Entry): number {
    this.entries.push(entry)
    this.#seqs.set(entry.id, entry.seq)
    this.state = foldContact(this.state, entry).state
    return entry.seq
  }
}

const PAGE_CHARACTERS = 131_072

/** As many entries as fit into a page, one at least. */
export function pageOf(entries: readonly Entry[]): readonly Entry[] {
  let size = 0
  const end = entries.findIndex((entry) => {
    const isOver = size >= PAGE_CHARACTERS
    size += JSON.stringify(entry).length
    return isOver
  })
  return end === -1 ? entries : entries.slice(0, end)
}
