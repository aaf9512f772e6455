import { countChannels } from '../../protocol/index.ts'
import type { ContactData, ContactEvents, MediaState, Slot } from '../../protocol/index.ts'
import type { SessionState } from './session-state.ts'

/** What is known of a contact now. `media`: as the media machine has them; null before it runs. */
export function recordOf({ record, log }: SessionState, media: MediaState | null): ContactData {
  const { seq, life, agent, channels, reason, shared } = log.state
  if (seq === 0) return record
  return {
    ...record,
    state: life,
    ...(agent && { agent }),
    mediaState: media ?? shared.media,
    channels: countChannels(channels),
    ...(reason && { reason }),
  }
}

/** Who writes on the other side of a party, as `iswriting` says it. */
export function writerOf(role: Slot, { record: { visitor }, log }: SessionState): ContactEvents['iswriting'] {
  const { agent } = log.state
  if (role === 'visitor')
    return { from_id: agent?.user ?? '', ...(agent && { from_nick: agent.nick }), agent: true }
  return {
    from_id: visitor.id,
    ...(visitor.nick !== undefined && { from_nick: visitor.nick }),
    agent: false,
  }
}
