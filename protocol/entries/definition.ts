/** What the definition of a log entry says. The entries themselves stand beside this file, one in each. */
import type * as v from '../checks.ts'
import type { Slot } from '../media.ts'

/** Who wrote an entry, as the service saw it. */
export interface Author {
  readonly id: string
  readonly nick?: string
}

/** What every entry has. */
export interface EntryHead {
  /** Position in the contact's log, from 1, without gaps. */
  readonly seq: number
  /** Message id given by the writer: sending again is harmless. */
  readonly id: string
  /** When the service stored it, milliseconds since the epoch. For people; the order is that of `seq`. */
  readonly time: number
}

/** What an entry of a party has besides. `counter` numbers the entries of its `session` from 1. */
export interface PartyHead extends EntryHead {
  readonly slot: Slot
  readonly session: string
  readonly counter: number
  readonly from: Author
}

/** What an entry of the service has besides. */
export interface ServiceHead extends EntryHead {
  readonly slot: 'service'
}

type ReadonlyList<T> = T extends (infer Item)[] ? readonly Item[] : T

/** The body of an entry, as its schema says. */
export type BodyOf<S extends v.GenericSchema> = {
  readonly [M in keyof v.InferOutput<S>]: ReadonlyList<v.InferOutput<S>[M]>
}

/** Where the application reads the entry. */
export interface EventContext {
  /** Origin of the service. */
  readonly service: string
}

/**
 * The events that an entry becomes: by its name, what makes the argument of its handlers. An event whose name
 * begins with `local` goes to the party that wrote the entry, any other to the other party. What the service
 * wrote goes to both.
 */
export type EventRules<Stored, Events> = {
  readonly [E in keyof Events]: (entry: Stored, context: EventContext) => Events[E]
}

/** The events of an entry that a party writes. */
export type PartyEvents<S extends v.GenericSchema, Events> = EventRules<
  PartyHead & { readonly body: BodyOf<S> },
  Events
>

/** The events of an entry that the service writes. */
export type ServiceEvents<S extends v.GenericSchema, Events> = EventRules<
  ServiceHead & { readonly body: BodyOf<S> },
  Events
>

/** One type of entry. An entry without events is told to a machine alone. */
export interface EntryDefinition {
  /** As a writer must have it. */
  readonly body: v.GenericSchema
  /** As a reader takes it: with a value of this version where a later minor version has another. */
  readonly read?: v.GenericSchema
  /** Without one of these values of that member, a reader takes the entry as one of an unknown type. */
  readonly decisive?: readonly [member: string, known: readonly string[]]
  /** In a secure contact its body has a seal, and counts only under the key that is agreed. */
  readonly isSealed?: true
  /** Members that are encrypted in the sealed form, each with the schema of its ciphertext. */
  readonly encrypts?: Readonly<Record<string, v.GenericSchema>>
  /** Waits in the outbox over a page load. */
  readonly persists?: true
  /** Still waiting when the contact is transferred, it is written into the log of the new contact. */
  readonly followsTransfer?: true
  /** Part of the transcript; the party that gets its event acknowledges it. */
  readonly isMessage?: true
  readonly events?: Readonly<Record<string, (entry: never, context: EventContext) => unknown>>
}
