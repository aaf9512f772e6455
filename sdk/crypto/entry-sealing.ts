/** Entries and frames as they are sealed and opened (encryption.md section 2). */
import { ContactError, definitionOf, openedEntry, shapeFault } from '../../protocol/index.ts'
import type { Draft, JsonValue, PartyEntry, RelayFrame, Slot } from '../../protocol/index.ts'
import { fieldData, frameData } from './associated-data.ts'
import type { EntryPlace, FramePlace } from './associated-data.ts'
import type { DirectionKeys } from './agreement.ts'
import { base64 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { sealMac } from './chain.ts'
import type { Sendable } from './interface.ts'
import { decryptValue, encryptJson, encryptText, parseCiphertext } from './cipher.ts'

/** With what a party writes. */
export interface Pen {
  readonly contact: string
  readonly slot: Slot
  /** Id of the key. */
  readonly key: string
  readonly keys: DirectionKeys
  /** Fresh random bytes. */
  readonly random: (length: number) => Bytes
}

/** What a parser of JSON puts in the place of a lone surrogate, as it does with a message in clear. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\uFFFD')

function encrypt(pen: Pen, aad: Uint8Array, value: JsonValue): string {
  const sealing = { slot: pen.slot, key: pen.key, keys: pen.keys, aad, iv: pen.random(16) }
  return typeof value === 'string' ? encryptText(wellFormed(value), sealing) : encryptJson(value, sealing)
}

/** A draft with its members encrypted, and its seal over what its author has read. */
export function sealedDraft(
  draft: Draft,
  pen: Pen,
  { read, head }: { read: number; head: Bytes },
): Sendable<Draft> {
  const { id, session, counter, type } = draft
  const place: EntryPlace = { contact: pen.contact, slot: pen.slot, session, counter, id, type }
  const given = draft.body as unknown as Readonly<Record<string, JsonValue>>
  const names = Object.keys(definitionOf(type)?.encrypts ?? {}).filter((name) => given[name] !== undefined)
  const ciphertexts = names.map((name) => [name, encrypt(pen, fieldData(place, name), given[name] ?? null)])
  const members = {
    ...given,
    ...(Object.fromEntries(ciphertexts) as Record<string, JsonValue>),
    ...(names.length > 0 && { encrypted: names }),
  }
  const seal = { key: pen.key, read }
  const mac = base64(sealMac(pen.keys.seal, place, { read, head, body: { ...members, seal } }))
  return { ...draft, body: { ...members, seal: { ...seal, mac } } } as unknown as Sendable<Draft>
}

/** Types that are written before there is a key. */
const CLEAR: ReadonlySet<string> = new Set(['present', 'keyCommit', 'keyShare']) // §2

/** A draft as it is sent. @throws {@link ContactError} `invalid_key` — it is to be sealed, and there is no key */
export const sendableDraft = (
  draft: Draft,
  pen: Pen | null,
  at: Parameters<typeof sealedDraft>[2],
): Sendable<Draft> =>
  CLEAR.has(draft.type) ? (draft as Sendable<Draft>) : sealedDraft(draft, requirePen(pen), at)

/** What is not sealed is not sent. @throws {@link ContactError} `invalid_key` — there is no key */
export function requirePen(pen: Pen | null): Pen {
  if (pen) return pen
  throw new ContactError('invalid_key', 'unable to send; there is no key to seal it with') // §5
}

/** An entry with its members decrypted; null where what its author wrote cannot be read. */
export function opened(
  entry: PartyEntry,
  place: EntryPlace,
  keys: (key: string, slot: Slot) => DirectionKeys | null,
): PartyEntry | null {
  const { encrypted = [], seal } = entry.body as {
    readonly encrypted?: readonly string[]
    readonly seal?: { readonly key: string }
  }
  const body = entry.body as unknown as Readonly<Record<string, string>>
  try {
    const values = encrypted.map((name) => {
      const parsed = parseCiphertext(body[name] ?? '')
      const direction = keys(parsed.key, parsed.slot)
      if (!direction || parsed.key !== seal?.key || parsed.slot !== place.slot) throw unreadable() // §5
      return [name, decryptValue(parsed, direction, fieldData(place, name))]
    })
    return openedEntry(entry, Object.fromEntries(values) as Record<string, unknown>)
  } catch {
    return null
  }
}

/** A frame whose body is encrypted. */
export function sealedFrame(pen: Pen, place: FramePlace, frame: RelayFrame): Sendable<RelayFrame> {
  const sealing = { slot: pen.slot, key: pen.key, keys: pen.keys, aad: frameData(place), iv: pen.random(16) }
  return { ...frame, body: encryptJson(frame.body ?? null, sealing) } as Sendable<RelayFrame>
}

/** A frame as it was written; null where it does not open under the key. */
export function openedFrame(
  place: FramePlace,
  frame: RelayFrame,
  { key, keys }: { readonly key: string; readonly keys: DirectionKeys },
): RelayFrame | null {
  try {
    const parsed = parseCiphertext(typeof frame.body === 'string' ? frame.body : '')
    if (parsed.key !== key || parsed.slot !== place.slot) return null // §5
    const body = decryptValue(parsed, keys, frameData(place))
    return shapeFault(body) === null ? { ...frame, body } : null
  } catch {
    return null
  }
}

const unreadable = (): ContactError =>
  new ContactError('tampered', 'unable to decrypt; the member is under another key than its entry')
