/** The relay of the service in memory. */
import { ContactError } from '../protocol/index.ts'
import type { Calls } from '../protocol/index.ts'
import type { MemoryConnection } from './memory-connection.ts'
import type { MemoryContact } from './memory-contact.ts'
import type { Party } from './party.ts'

/** Passes a frame to a session that holds the other slot. */
export function relayTo(
  connections: Iterable<MemoryConnection>,
  { slot }: Party,
  contact: MemoryContact,
  { session, to, frame }: Calls['relay.send']['args'],
): Record<string, never> {
  if (contact.state.shared.session[slot] !== session || contact.peerOf(slot) !== to)
    throw new ContactError('peer_left', 'unable to relay; the session is not there')
  const receiver = [...connections].find((connection) => connection.has(contact.id, to))
  if (!receiver) throw new ContactError('offline', 'unable to relay; the other party is not connected')
  receiver.push({ name: 'relay.frame', body: { contact: contact.id, from: session, frame } })
  return {}
}
