/**
 * Who is connected: which sessions the service names to the pages of a contact, and what a page concludes.
 */
import type { SharedState } from './fold.ts'
import { LIMITS } from './limits.ts'
import { otherSlot } from './media.ts'
import type { Slot } from './media.ts'

/** Sessions of each party that have a connection. */
export type ConnectedSessions = Readonly<Record<Slot, readonly string[]>>

type Holders = Pick<SharedState, 'session'>

/**
 * What the service tells of the open sessions: of each party as many as the limit allows, the one that holds
 * its slot always among them.
 */
export function connectedSessions(
  open: Iterable<{ readonly slot: Slot; readonly session: string }>,
  { session: holders }: Holders,
): ConnectedSessions {
  const all: Record<Slot, string[]> = { visitor: [], agent: [] }
  for (const { slot, session } of open) all[slot].push(session)
  return { visitor: limited(all.visitor, holders.visitor), agent: limited(all.agent, holders.agent) }
}

function limited(sessions: readonly string[], holder: string | null): readonly string[] {
  if (sessions.length <= LIMITS.connectedSessions) return sessions
  const isHolder = (session: string): boolean => session === holder
  return [...sessions.filter(isHolder), ...sessions.filter((session) => !isHolder(session))].slice(
    0,
    LIMITS.connectedSessions,
  )
}

/** The page that holds the slot of this party is gone. */
export const isHolderGone = ({ session }: Holders, slot: Slot, connected: ConnectedSessions): boolean =>
  session[slot] !== null && !connected[slot].includes(session[slot])

/**
 * Where the other party is: `away` while it has a part in the contact and no page of it is connected; null
 * where it has none.
 */
export function wherePeerIs(
  { session }: Holders,
  slot: Slot,
  connected: ConnectedSessions,
): 'here' | 'away' | null {
  const peer = otherSlot(slot)
  if (connected[peer].length > 0) return 'here'
  return session[peer] === null ? null : 'away'
}
