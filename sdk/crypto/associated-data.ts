/** What a ciphertext is bound to (encryption.md section 1): moved anywhere else, it does not open. */
import type { Slot } from '../../protocol/index.ts'
import { ascii, concat, lengthPrefixed, uint32 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { slotByte } from './cipher.ts'

/** Whose key it is: its contact, and the party that writes with it. */
export interface Writer {
  readonly contact: string
  readonly slot: Slot
}

/** An entry of the log, as its writer numbers it. */
export interface EntryPlace extends Writer {
  readonly session: string
  readonly counter: number
  readonly id: string
  readonly type: string
}

/** A frame of the relay. */
export interface FramePlace extends Writer {
  readonly from: string
  readonly to: string
  readonly n: number
  readonly kind: string
}

const begun = (label: string, { contact, slot }: Writer): Bytes =>
  concat(ascii(`duolog/1 ${label}`), lengthPrefixed(contact), Uint8Array.of(slotByte(slot))) // §1, §2

/** Of `encrypt`. */
export const valueData = (writer: Writer): Bytes => begun('value', writer) // §1

/** Of a member of `encryptMessage`. */
export const memberData = (writer: Writer, name: string): Bytes =>
  concat(begun('member', writer), lengthPrefixed(name)) // §1

/** Of a field of an entry. */
export const fieldData = (place: EntryPlace, field: string): Bytes =>
  concat(
    begun('field', place), // §1
    lengthPrefixed(place.session),
    uint32(place.counter),
    lengthPrefixed(place.id),
    lengthPrefixed(place.type),
    lengthPrefixed(field),
  )

/** Of the body of a frame. */
export const frameData = (place: FramePlace): Bytes =>
  concat(
    begun('frame', place), // §1
    lengthPrefixed(place.from),
    lengthPrefixed(place.to),
    uint32(place.n),
    lengthPrefixed(place.kind),
  )

/** What the seal of an entry authenticates besides head and body. */
export const sealData = (place: EntryPlace, read: number): Bytes =>
  concat(
    begun('entry', place), // §2
    lengthPrefixed(place.session),
    uint32(place.counter),
    lengthPrefixed(place.id),
    lengthPrefixed(place.type),
    uint32(read),
  )
