/** What agents of the service in memory have beside contacts: offers, colleagues and notes. */
import { ContactError } from '../protocol/index.ts'
import type { Colleague, ContactNote, Distribution, PastContact } from '../protocol/index.ts'
import type { MemoryConnection } from './memory-connection.ts'
import type { MemoryContact } from './memory-contact.ts'
import type { Party } from './party.ts'

/** A contact as it is offered. */
export function distributionOf(contact: MemoryContact): Distribution {
  const { tags, initialOffer, secure, visitor } = contact.record('agent')
  return {
    id: contact.id,
    ...(visitor.nick !== undefined && { nick: visitor.nick }),
    tags,
    ...(initialOffer && { initialOffer }),
    secure,
    expiresInMs: 30_000,
  }
}

/** A note of an agent about a contact that they have. */
export function noteOn(contact: MemoryContact, { id: user, nick = '' }: Party, text: string): ContactNote {
  if (contact.state.keys)
    throw new ContactError('forbidden', 'unable to write the note; it would not be encrypted')
  const note = {
    ...{ id: `n-${contact.id}-${contact.notes.length}`, user, nick, text },
    time: new Date(0).toISOString(),
  }
  contact.notes.push(note)
  return note
}

/** Notes of a contact and of those that it went on from, the oldest first. */
export function notesOf(
  contacts: ReadonlyMap<string, MemoryContact>,
  contact: MemoryContact,
): { notes: ContactNote[] } {
  const before = [...contacts.values()].find(({ successor }) => successor === contact.id)
  return { notes: [...(before ? notesOf(contacts, before).notes : []), ...contact.notes] }
}

/** The other agents who have a connection. */
export function colleaguesOf(
  connections: ReadonlySet<MemoryConnection>,
  { id }: Party,
): { colleagues: Colleague[] } {
  const others = new Map<string, Colleague>()
  for (const { party, ready } of connections)
    if (party.slot === 'agent' && party.id !== id)
      others.set(party.id, {
        user: party.id,
        nick: party.nick ?? '',
        state: ready || others.get(party.id)?.state === 'ready' ? 'ready' : 'paused',
        tags: [],
      })
  return { colleagues: [...others.values()] }
}

/** All contacts of a visitor that have not gone on, the newest first. */
export function listOf(
  contacts: ReadonlyMap<string, MemoryContact>,
  { id }: Party,
): { contacts: PastContact[] } {
  const own = [...contacts.values()].filter(
    ({ visitor, successor }) => visitor.id === id && successor === null,
  )
  return {
    contacts: own.toReversed().map((contact) => {
      const { state, created, agent, transcript } = contact.record('visitor')
      return {
        ...{ id: contact.id, state, created, messages: transcript.messages },
        ...(agent && { agent: agent.nick }),
      }
    }),
  }
}
