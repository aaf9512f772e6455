import type {
  Draft,
  Entry,
  PartyEntry,
  ServiceBodies,
  ServiceEntry,
  ServiceEntryType,
  Slot,
} from '../../../protocol/index.ts'
import type { EntryRow } from '../store/tables.ts'

/** One entry on its way into the store. */
export interface EntryInsert {
  readonly contact: string
  readonly id: string
  readonly type: string
  readonly slot: Slot | 'service'
  readonly session: string | null
  readonly counter: number | null
  readonly principal: string | null
  readonly nick: string | null
  /** JSON text of the content. */
  readonly body: string
  readonly content: unknown
  /** Of an `ack`: the message that it acknowledges. */
  readonly ref: string | null
  /** Not to be stored: it only uses up its counter. */
  readonly refused: boolean
  /**
   * The opening of the session whose channel took it: where another opening counts, it has the fault
   * `replaced`. Null: whichever counts.
   */
  readonly epoch: number | null
}

/**
 * Why the store did not take an insert. `locked`: somebody else has the contact, and the insert does not
 * wait for them. `replaced`: the session was opened anew, and this is of the opening before.
 */
export type Fault = 'not_found' | 'locked' | 'unknown' | 'left' | 'taken' | 'replaced' | 'counter'

/** The result of an insert. */
export interface AppendResult {
  /** Its number in the log; the old one for a repeat. */
  readonly seq: number | null
  readonly fault: Fault | null
  /** The counter that the session should have given. */
  readonly expected: number | null
  readonly isNew: boolean
  /** Entries of the contact since its stored snapshot. */
  readonly lag: number
  /** The nodes that have the contact open, with its first insert of a batch. */
  readonly nodes?: readonly string[]
}

/** Who writes, and from which session. */
export interface Writer {
  readonly contact: string
  readonly slot: Slot
  readonly session: string
  readonly principal: string
  readonly nick: string | null
  /** Which opening of the session the channel is; null: the session has no channel. */
  readonly epoch: number | null
}

/**
 * Key by key: on the way of every message, a spread with further keys costs ten times what all the rest of
 * this does.
 */
export const insertOf = (
  { contact, slot, session, principal, nick, epoch }: Writer,
  draft: Draft,
): EntryInsert => ({
  contact,
  id: draft.id,
  type: draft.type,
  slot,
  session,
  counter: draft.counter,
  principal,
  nick,
  body: JSON.stringify(draft.body),
  content: draft.body,
  ref: draft.type === 'ack' ? draft.body.ref : null,
  refused: false,
  epoch,
})

export const refusalOf = (writer: Writer, id: string, counter: number): EntryInsert => ({
  ...writer,
  id,
  type: 'refused',
  counter,
  body: '',
  content: null,
  ref: null,
  refused: true,
})

/** A service entry without its number and time. */
export const serviceInsert = <T extends ServiceEntryType>(
  { contact, id }: { readonly contact: string; readonly id: string },
  type: T,
  body: ServiceBodies[T],
): EntryInsert => ({
  contact,
  id,
  type,
  slot: 'service',
  session: null,
  counter: null,
  principal: null,
  nick: null,
  body: JSON.stringify(body),
  content: body,
  ref: null,
  refused: false,
  epoch: null,
})

/** The entry of an insert that was stored. */
export function entryOf(
  { id, type, slot, session, counter, principal, nick, content }: EntryInsert,
  seq: number,
  time: number,
): Entry {
  return toEntry(
    { seq, id, type, slot, session, counter, from_id: principal, from_nick: nick, time },
    content,
  )
}

/** The entry of a stored row. Rows hold only what was checked on the way in. */
export const entryOfRow = (row: EntryRow): Entry => toEntry(row, JSON.parse(row.body))

function toEntry(row: Omit<EntryRow, 'contact' | 'body'>, body: unknown): Entry {
  const { seq, id, time, type, slot } = row
  if (slot === 'service') return { seq, id, time, type, slot, body } as ServiceEntry
  const from =
    row.from_nick === null ? { id: row.from_id ?? '' } : { id: row.from_id ?? '', nick: row.from_nick }
  return { seq, id, time, type, slot, session: row.session, counter: row.counter, from, body } as PartyEntry
}
