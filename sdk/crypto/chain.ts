/** The chain of heads over the log as it was received, and the seal of an entry (encryption.md section 2). */
import type { JsonValue } from '../../protocol/index.ts'
import { ascii, concat, lengthPrefixed, utf8Bytes } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { sealData } from './associated-data.ts'
import type { EntryPlace } from './associated-data.ts'
import { hmacSha512, sha512Half } from './hash.ts'

/**
 * JSON in the only form of RFC 8785: members sorted by the UTF-16 code units of their names, nothing between
 * tokens. Numbers and texts are written as ECMAScript writes them, which is what the RFC takes over.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

const jsonBytes = (value: JsonValue): Bytes => utf8Bytes(canonicalJson(value))

/** An entry as it came from the service, before a schema dropped members of it. */
export interface RawEntry {
  readonly type: string
  readonly body: Readonly<Record<string, JsonValue>>
  readonly [member: string]: JsonValue
}

/** The service adds the address of a file for each reader. */
function commonPart(entry: RawEntry): JsonValue {
  if (entry.type !== 'attachment') return entry // §2
  const { url: _, ...body } = entry.body
  return { ...entry, body }
}

/** The head before the first entry, 32 bytes. */
export const firstHead = (contact: string): Bytes =>
  sha512Half(concat(ascii('duolog/1 log'), lengthPrefixed(contact))) // §2

/** The head after an entry. @throws {@link ContactError} `invalid_argument` — a lone surrogate */
export const nextHead = (head: Uint8Array, entry: RawEntry): Bytes =>
  sha512Half(concat(head, jsonBytes(commonPart(entry)))) // §2

/** What a seal authenticates. */
export interface Sealed {
  /** Number of the last entry that the author had read. */
  readonly read: number
  /** Head after it. */
  readonly head: Uint8Array
  /** With `seal: { key, read }`, without its `mac`. */
  readonly body: JsonValue
}

/**
 * The `mac` of a seal, 32 bytes. The head is not on the wire: who has read another log gets another MAC.
 * @param sealKey 32 bytes
 */
export const sealMac = (sealKey: Uint8Array, place: EntryPlace, { read, head, body }: Sealed): Bytes =>
  hmacSha512(sealKey, concat(sealData(place, read), head, sha512Half(jsonBytes(body)))).slice(0, 32) // §2
