/** What the events of messages have in common. */
import type { EntryHead, PartyHead } from './definition.ts'

/** Who a message came from. */
export interface Sender {
  readonly from_id: string
  readonly from_nick?: string
  /** Sent by an agent. */
  readonly agent: boolean
}

/** Which message it is. */
export interface Stamp {
  /** The message's id, as the callback of its sender gave it. */
  readonly id: string
  /** When the service stored it, milliseconds since the epoch by its clock. */
  readonly ts: number
}

/** Who wrote an entry. */
export const senderOf = ({ from, slot }: Pick<PartyHead, 'from' | 'slot'>): Sender => ({
  from_id: from.id,
  ...(from.nick !== undefined && { from_nick: from.nick }),
  agent: slot === 'agent',
})

/** Which message an entry is. */
export const stampOf = ({ id, time }: Pick<EntryHead, 'id' | 'time'>): Stamp => ({ id, ts: time })
