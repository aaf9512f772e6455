/** How many channels a contact has open. */
import * as v from './checks.ts'
import { count } from './value-schema.ts'

/** Numbers of a contact's open channels (connections). */
export interface ChannelCounts {
  readonly total: number
  /** Those of the visitor. */
  readonly vvcu?: number
  /** Those of the agent. */
  readonly user?: number
}

/** The number of open channels of a contact, in all and by party. */
export const channelCounts = v.object({
  total: count,
  vvcu: v.exactOptional(count),
  user: v.exactOptional(count),
}) satisfies v.GenericSchema<unknown, ChannelCounts>
