import type { ContactData, ContactState, Slot } from '../../../protocol/index.ts'
import { idsAt } from '../log/read-log.ts'
import type { ContactChange } from './contact-change.ts'
import type { SessionElsewhere } from './contact.types.ts'

/** What opening a channel found. */
export interface Opened {
  readonly slot: Slot
  readonly nick: string | null
  readonly head: number
  readonly counter: number
  /** Which opening of the session this is; null where it only reads how the contact ended. */
  readonly epoch: number | null
  /** The node that had the session before. */
  readonly former: string | null
  /** Sessions of the contact that have a connection to another node. */
  readonly elsewhere: readonly SessionElsewhere[]
  readonly record: ContactData
  readonly state: ContactState
  /** Nothing follows what the log has. */
  readonly isOver: boolean
  /** Whether no other entry stands where the party knows one; undefined where it knows none. */
  readonly isSame: boolean | undefined
}

/** Which session is opened. */
export interface OpeningAsked extends SessionRef {
  readonly opening?: number | null
  /** The last entry that the party knows. */
  readonly last?: { readonly seq: number; readonly id: string } | undefined
}

export interface SessionRef {
  readonly contact: string
  readonly session: string
}

/** Whether no other entry stands where the party knows one. Retention may have removed it. */
export async function isInLog(
  change: ContactChange,
  { seq, id }: NonNullable<OpeningAsked['last']>,
): Promise<boolean> {
  const stored = await change.load(idsAt, { contact: change.row.id, seq })
  return stored === null ? seq <= change.state.seq : stored === id
}
