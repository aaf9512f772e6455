/** The log of a contact: what an entry is as it is read, and as it is written. */
import type { PartyHead, ServiceHead } from './entries/definition.ts'
import type { PartyBodies, PartyEntryType, ServiceBodies, ServiceEntryType } from './entries/list.ts'

/** An entry that a party wrote. */
export type PartyEntry = {
  [T in PartyEntryType]: PartyHead & { readonly type: T; readonly body: PartyBodies[T] }
}[PartyEntryType]

/** An entry that the service wrote. */
export type ServiceEntry = {
  [T in ServiceEntryType]: ServiceHead & { readonly type: T; readonly body: ServiceBodies[T] }
}[ServiceEntryType]

/** One durable entry of a contact's log, in the order of `seq`. */
export type Entry = PartyEntry | ServiceEntry

/** An entry as its writer hands it to the service. */
export type Draft = {
  [T in PartyEntryType]: {
    readonly id: string
    readonly session: string
    readonly counter: number
    readonly type: T
    readonly body: PartyBodies[T]
  }
}[PartyEntryType]

/** A {@link Draft} before the outbox gives it its session and counter. */
export type UnsentEntry = {
  [T in PartyEntryType]: { readonly id: string; readonly type: T; readonly body: PartyBodies[T] }
}[PartyEntryType]
