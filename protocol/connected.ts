/**
 * Who is connected: the sessions that the service names to the pages of a contact, and what follows for a
 * page.
 */
import type { SharedState } from './fold.ts'
import { LIMITS } from './limits.ts'
import { otherSlot } from './media.ts'
import type { Slot } from './media.ts'

/** Sessions of each party that have a connection. */
export type ConnectedSessions = Readonly<Record<Slot, readonly string[]>>

type Holders = Pick<SharedState, 'session'>

/**
 * The open sessions that the service names: of each party as many as the limit allows, always including the
 * one that holds its slot.
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

/** Whether the page that holds the slot of this party is not connected any more. */
export const isHolderGone = ({ session }: Holders, slot: Slot, connected: ConnectedSessions): boolean =>
  session[slot] !== null && !connected[slot].includes(session[slot])

/**
 * Whether the other party is connected: `away` while a session of it holds its slot and none is connected;
 * null if none holds it.
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
