/** What agents of the service in memory have beside contacts: offers, colleagues, notes and ratings. */
import { ContactError } from '../protocol/index.ts'
import type {
  CallName,
  Calls,
  Colleague,
  ContactNote,
  ContactSearch,
  Distribution,
  FoundContact,
  PastContact,
} from '../protocol/index.ts'
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

/** The visitor rates a contact that is over; the agent is told. */
export function rateOf(
  connections: ReadonlySet<MemoryConnection>,
  rated: MemoryContact,
  { contact, ...rating }: Calls['contact.rate']['args'],
): Record<string, never> {
  if (rated.state.life !== 'cleared' && !rated.isDeserted)
    throw new ContactError('invalid_state', 'unable to rate the contact; it is not over')
  if (rated.state.keys && rating.comment !== undefined)
    throw new ContactError('forbidden', 'unable to rate the contact; the comment would not be encrypted')
  rated.forms.rate(rating)
  for (const connection of connections)
    if (connection.party.slot === 'agent' && connection.party.id === rated.agent?.id)
      connection.push({ name: 'agent.rated', body: { contact, rating } })
  return {}
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
      const { created, agent, transcript } = contact.record('visitor')
      return {
        ...{ id: contact.id, state: contact.state.life, created, messages: transcript.messages },
        ...(agent && { agent: agent.nick }),
      }
    }),
  }
}

interface DeskParts {
  readonly connections: ReadonlySet<MemoryConnection>
  readonly contacts: ReadonlyMap<string, MemoryContact>
  /** Who asks. */
  readonly party: Party
  readonly owned: (contact: string) => MemoryContact
  readonly readable: (contact: string) => MemoryContact
}

type DeskName =
  | 'agent.colleagues'
  | 'agent.note'
  | 'agent.notes'
  | 'agent.replies'
  | 'agent.search'
  | 'agent.overview'
  | 'agent.read'
type Answers<N extends CallName> = { [M in N]: (args: Calls[M]['args']) => Calls[M]['result'] }

/** What agents ask beside contacts. The organisation has no canned replies here, and agents have no rights. */
export const deskOf = ({ connections, contacts, party, owned, readable }: DeskParts): Answers<DeskName> => ({
  'agent.colleagues': () => colleaguesOf(connections, party),
  'agent.note': ({ contact, text }) => ({ note: noteOn(owned(contact), party, text) }),
  'agent.notes': ({ contact }) => notesOf(contacts, readable(contact)),
  'agent.replies': () => ({ replies: [] }),
  'agent.search': (query) => ({ contacts: searched(contacts, party, query) }),
  'agent.overview': () => {
    throw new ContactError(
      'forbidden',
      'unable to read the overview; the agent does not have the right supervise',
    )
  },
  'agent.read': ({ contact, after }) => readTexts(readable(contact), after),
})

function searched(
  contacts: ReadonlyMap<string, MemoryContact>,
  { id }: Party,
  { text, name, from = 0, to = Number.MAX_SAFE_INTEGER }: ContactSearch,
): FoundContact[] {
  const has = (said: string | undefined, wanted: string | undefined): boolean =>
    wanted === undefined || (said?.toLowerCase().includes(wanted.toLowerCase()) ?? false)
  return [...contacts.values()].toReversed().flatMap((contact) => {
    const { created, visitor, secure, transcript } = contact.record('agent')
    const at = Date.parse(created)
    const excerpt =
      text === undefined ? undefined : textsIn(contact).find((each) => has(each.text, text))?.text
    const isFound =
      contact.agent?.id === id &&
      contact.state.life === 'cleared' &&
      contact.successor === null &&
      has(visitor.nick, name) &&
      at >= from &&
      at < to &&
      (text === undefined || excerpt !== undefined)
    if (!isFound) return []
    return [
      {
        ...{ id: contact.id, created, secure, messages: transcript.messages },
        ...(visitor.nick !== undefined && { nick: visitor.nick }),
        ...(excerpt !== undefined && { excerpt }),
      },
    ]
  })
}

function readTexts(contact: MemoryContact, after: number): Calls['agent.read']['result'] {
  if (contact.state.keys) throw new ContactError('forbidden', 'unable to read the contact; it is encrypted')
  return {
    texts: textsIn(contact).filter(({ seq }) => seq > after),
    last: contact.entries.at(-1)?.seq ?? after,
    isMore: false,
    isOver: contact.state.life === 'cleared' || contact.successor !== null,
  }
}

const textsIn = ({ entries, state }: MemoryContact): Calls['agent.read']['result']['texts'] =>
  entries.flatMap((entry) =>
    entry.type === 'text' && !state.keys
      ? [
          {
            ...{ seq: entry.seq, role: entry.slot, text: entry.body.text },
            time: new Date(entry.time).toISOString(),
            ...(entry.from.nick !== undefined && { nick: entry.from.nick }),
          },
        ]
      : [],
  )
