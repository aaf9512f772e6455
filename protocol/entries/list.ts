/**
 * Every type of log entry. A new one is a file beside this one and a line here: types, schemas, events, what
 * the outbox does with it and its positional arguments follow from its definition.
 */
import { ack } from './ack.ts'
import { action } from './action.ts'
import { answer } from './answer.ts'
import { assigned } from './assigned.ts'
import { attachment } from './attachment.ts'
import { capabilities } from './capabilities.ts'
import { cleared } from './cleared.ts'
import { datachange } from './datachange.ts'
import { declined } from './declined.ts'
import type { BodyOf, EntryDefinition, EventRules } from './definition.ts'
import { direct } from './direct.ts'
import { failed } from './failed.ts'
import { file } from './file.ts'
import { joined } from './joined.ts'
import { keyCommit } from './key-commit.ts'
import { keyReveal } from './key-reveal.ts'
import { keyShare } from './key-share.ts'
import { left } from './left.ts'
import { link } from './link.ts'
import { notice } from './notice.ts'
import { offer } from './offer.ts'
import { present } from './present.ts'
import { read } from './read.ts'
import { ready } from './ready.ts'
import { reject } from './reject.ts'
import { telephone } from './telephone.ts'
import type { SealedMembers } from '../sealed-body.ts'
import { text } from './text.ts'
import { transferred } from './transferred.ts'
import { withdraw } from './withdraw.ts'

/** What a party writes under its own slot. Media in it are relative to the *other* party. */
export const partyEntries = {
  present,
  capabilities,
  offer,
  direct,
  answer,
  reject,
  withdraw,
  ready,
  failed,
  text,
  link,
  action,
  ack,
  read,
  keyCommit,
  keyShare,
  keyReveal,
  file,
}

/** What only the service writes. */
export const serviceEntries = {
  assigned,
  joined,
  left,
  declined,
  transferred,
  cleared,
  datachange,
  telephone,
  attachment,
  notice,
}

type PartyEntries = typeof partyEntries
type ServiceEntries = typeof serviceEntries
type Definitions = PartyEntries & ServiceEntries

/** The types of entries that parties write. */
export type PartyEntryType = keyof PartyEntries
/** The types of entries that the service writes. */
export type ServiceEntryType = keyof ServiceEntries

/** Bodies of the entries that a party writes, by type; those of a secure contact may have a seal. */
export type PartyBodies = {
  readonly [T in PartyEntryType]: BodyOf<PartyEntries[T]['body']> &
    (PartyEntries[T] extends { readonly isSealed: true } ? SealedMembers : unknown)
}

/** Bodies of the entries that only the service writes, by type. */
export type ServiceBodies = { readonly [T in ServiceEntryType]: BodyOf<ServiceEntries[T]['body']> }

/** Types of the entries that are messages. */
export type MessageType = {
  [T in keyof Definitions]: Definitions[T] extends { readonly isMessage: true } ? T : never
}[keyof Definitions]

type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
type EventsOf<Definition> = Definition extends { readonly events: EventRules<never, infer Events> }
  ? Events
  : never

/** The events that entries become, each with the argument of its handlers. */
export type EntryEvents = Together<EventsOf<Definitions[keyof Definitions]>>

const definitions = new Map<string, EntryDefinition>(Object.entries({ ...partyEntries, ...serviceEntries }))

/** The definition of a type of entry; undefined of a type that this version does not know. */
export const definitionOf = (type: string): EntryDefinition | undefined => definitions.get(type)

/** Types of the entries whose definition has a flag. */
export const typesWith = (
  flag: 'persists' | 'followsTransfer' | 'isMessage' | 'isSealed',
): readonly string[] => [...definitions].flatMap(([type, definition]) => (definition[flag] ? [type] : []))

/** Whether an event of that name is made of an entry. */
export const isEntryEvent = (name: string): boolean =>
  [...definitions.values()].some(({ events = {} }) => Object.hasOwn(events, name))
