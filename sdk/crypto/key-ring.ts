/** The keys of a contact that a tab holds, kept over page loads (encryption.md section 3). */
import * as v from '../../protocol/checks.ts'
import type { Slot } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import { eraseRing, headKey, heldKey, ringKey } from '../contact/saved-state.ts'
import { readAs } from '../values/stored.ts'
import type { AgreedKey, DirectionKeys } from './agreement.ts'
import { base64, concat, fromBase64 } from './bytes.ts'
import type { Bytes } from './bytes.ts'

/** The newest keys that are kept. */
const MOST = 100 // §3
/** The newest keys with a secret that a commit may name. */
const RESUMABLE = 4 // §3
/** The newest contacts that went on without this tab and whose keys it keeps. */
const MOST_LEFT_BEHIND = 16 // §3

/** Exactly so many bytes in canonical base64. */
const bytesOf = (length: number) =>
  v.pipe(
    v.string(),
    v.check((text) => fromBase64(text)?.length === length),
  )
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const keptSchema = v.object({
  id: bytesOf(8),
  contact: v.string(),
  since: count,
  until: v.nullable(count),
  visitor: bytesOf(96),
  agent: bytesOf(96),
  resume: v.nullable(bytesOf(32)),
  code: bytesOf(6),
  verified: v.nullable(v.picklist(['user', 'organisation'])),
  decided: v.exactOptional(count),
})
const ringSchema = v.array(keptSchema)
const idsSchema = v.array(v.string())
const meetingSchema = v.object({ seq: count, head: bytesOf(32) })

/** A key as it is kept: base64, and what is known of it. */
export interface SavedKey {
  readonly id: string
  /** Contact in which it was agreed. */
  readonly contact: string
  /** Number of the entry before which it was not used; the entry that ended it, null while it lasts. */
  readonly since: number
  readonly until: number | null
  readonly visitor: string
  readonly agent: string
  /** What the next agreement mixes in; null when it was used. */
  readonly resume: string | null
  readonly code: string
  readonly verified: 'user' | 'organisation' | null
  /** How often `verified` was decided: among tabs the later decision counts. */
  readonly decided?: number
}

/** Where an earlier page of the tab has read the log to, and its head there. */
export interface Meeting {
  readonly seq: number
  /** Base64 of 32 bytes. */
  readonly head: string
}

/** Key under which a tab keeps the ids of the contacts that went on without it. */
const leftBehindKey = (service: string): string => `duolog:${service}:left-behind`

const together = ({ seal, mac, cipher }: DirectionKeys): string => base64(concat(seal, mac, cipher))
const direction = (kept: string): DirectionKeys => {
  const bytes = fromBase64(kept) as Bytes
  return { seal: bytes.slice(0, 32), mac: bytes.slice(32, 64), cipher: bytes.slice(64) }
}

const timesOf = ({ decided = 0 }: SavedKey): number => decided

/**
 * A key with what was decided of it last in either of two tabs; of decisions at once, that it is verified. A secret
 * that one of them has erased is erased in both.
 */
function decidedLast(key: SavedKey, other: SavedKey): SavedKey {
  const later = timesOf(other) - timesOf(key) || Number(key.verified === null)
  const known = { ...key, resume: other.resume && key.resume } // §3
  return later > 0 ? { ...known, ...pickDecision(other) } : known
}
const pickDecision = ({ verified, decided }: SavedKey): Pick<SavedKey, 'decided' | 'verified'> => ({
  verified,
  ...(decided !== undefined && { decided }),
})

/** A new key as it is kept. */
export const keptKey = (
  key: AgreedKey,
  known: Pick<SavedKey, 'contact' | 'since' | 'verified'> & { readonly code?: string },
): SavedKey => ({
  id: key.id,
  until: null,
  visitor: together(key.visitor),
  agent: together(key.agent),
  resume: base64(key.resume),
  code: base64(key.code),
  ...known,
})

/** What the keys of a tab need to know of their contact. */
export interface KeyRingOptions {
  /** Of the tab. */
  readonly store: KeyValueStore
  readonly service: string
  /** What other tabs of the party are told. */
  readonly onKeys?: (keys: readonly SavedKey[]) => void
  /** Id of the key with which is written now: it is kept, however many newer ones there are. */
  readonly inUse?: () => string | null
}

/** The keys of one contact, the oldest first, the newest 100. What a store holds is read strictly. */
export class KeyRing {
  readonly #options: KeyRingOptions
  #contact: string
  #keys: readonly SavedKey[]
  /** Nothing is written any more: all of it is erased, or stays as it is. */
  #isClosed = false

  constructor(contact: string, options: KeyRingOptions) {
    this.#options = options
    this.#contact = contact
    this.#keys = this.#read(contact)
  }

  get all(): readonly SavedKey[] {
    return this.#keys
  }

  get = (id: string): SavedKey | undefined => this.#keys.findLast((key) => key.id === id)

  /** With what a party writes under a key. */
  keysOf(id: string, slot: Slot): DirectionKeys | null {
    const kept = this.get(id)
    return kept ? direction(kept[slot]) : null
  }

  /** The newest keys that may be gone on from, the newest first. */
  get resumable(): readonly string[] {
    return this.#keys
      .filter(({ resume }) => resume !== null)
      .slice(-RESUMABLE)
      .map(({ id }) => id)
      .toReversed()
  }

  /** Id and secret of a key that is gone on from. */
  resumed(id: string | undefined): { readonly id: Uint8Array; readonly secret: Uint8Array } | null {
    const secret = fromBase64((id === undefined ? undefined : this.get(id)?.resume) ?? '')
    const bytes = fromBase64(id ?? '')
    return secret?.length && bytes ? { id: bytes, secret } : null
  }

  /** Keys that were verified, each with who says so. */
  get verified(): Readonly<Record<string, 'user' | 'organisation'>> {
    return Object.fromEntries(this.#keys.flatMap(({ id, verified }) => (verified ? [[id, verified]] : [])))
  }

  add(key: SavedKey): void {
    this.#save([...this.#keys.filter(({ id }) => id !== key.id), key])
  }

  /** Changes what is known of a key, or of all of them. */
  change(id: string | null, changes: Partial<Pick<SavedKey, 'until' | 'resume' | 'verified'>>): void {
    const isMeant = (key: SavedKey): boolean =>
      (id === null || key.id === id) &&
      Object.entries(changes).some(([name, value]) => key[name as keyof SavedKey] !== value)
    if (this.#keys.some(isMeant))
      this.#save(
        this.#keys.map((key) =>
          isMeant(key)
            ? { ...key, ...changes, ...('verified' in changes && { decided: timesOf(key) + 1 }) }
            : key,
        ),
      )
  }

  /**
   * Takes what another tab of the party holds. Returns whether any of it was new: only then other tabs hear of it,
   * so that tabs with more keys than are kept come to an end.
   */
  take(given: unknown): boolean {
    const read = v.read(ringSchema, given)
    if (read instanceof v.Fault) return false
    const theirs = new Map(read.map((key) => [key.id, key]))
    const own = this.#keys.map((key) => decidedLast(key, theirs.get(key.id) ?? key))
    const fresh = read.filter(({ id }) => this.get(id) === undefined)
    const keys = this.#newest([...own, ...fresh].toSorted(this.#compare))
    if (JSON.stringify(keys) === JSON.stringify(this.#keys)) return false
    this.#save(keys)
    return true
  }

  /** Keys of earlier ids of the contact first, then by when they were agreed: the same order in each tab. */
  readonly #compare = (one: SavedKey, other: SavedKey): number =>
    Number(one.contact === this.#contact) - Number(other.contact === this.#contact) ||
    one.since - other.since ||
    (one.id < other.id ? -1 : 1)

  /** Where the log was read to, for the next page of the tab. */
  get meeting(): Meeting | null {
    return readAs(meetingSchema, this.#options.store.getItem(headKey(this.#options.service, this.#contact)))
  }

  meet(meeting: Meeting): void {
    const { store, service } = this.#options
    if (!this.#isClosed) store.setItem(headKey(service, this.#contact), JSON.stringify(meeting))
  }

  /** Number of the first entry whose events are held until the user has decided about a key; null: none are. */
  get heldFrom(): number | null {
    return readAs(count, this.#options.store.getItem(heldKey(this.#options.service, this.#contact)))
  }

  /** Events of this entry are held, also over a page load; null: none are any more. */
  hold(seq: number | null): void {
    const { store, service } = this.#options
    const [key, before] = [heldKey(service, this.#contact), this.heldFrom]
    if (seq === null) store.removeItem(key)
    else if (!this.#isClosed && (before === null || seq < before)) store.setItem(key, String(seq))
  }

  /** The contact goes on under another id: its keys go along. */
  move(contact: string): void {
    const before = this.#contact
    this.#contact = contact
    this.#save([...this.#read(contact), ...this.#keys])
    if (before !== contact) eraseRing(this.#options.store, this.#options.service, before)
  }

  /** The contact is over: nothing of it is kept. */
  erase(): void {
    this.#isClosed = true
    this.#keys = []
    eraseRing(this.#options.store, this.#options.service, this.#contact)
  }

  /**
   * The contact goes on without this tab: its keys stay for the case that it comes back under its next id, which
   * this tab may not know. Of older such contacts they are erased.
   */
  leaveBehind(): void {
    const { store, service } = this.#options
    const name = leftBehindKey(service)
    const before = readAs(idsSchema, store.getItem(name)) ?? []
    const ids = [...before.filter((id) => id !== this.#contact), this.#contact]
    this.#isClosed = true
    for (const id of ids.slice(0, -MOST_LEFT_BEHIND)) eraseRing(store, service, id)
    store.setItem(name, JSON.stringify(ids.slice(-MOST_LEFT_BEHIND)))
  }

  #newest(keys: readonly SavedKey[]): readonly SavedKey[] {
    const used = this.#options.inUse?.() ?? null
    return keys.filter(({ id }, at) => id === used || at >= keys.length - MOST)
  }

  #read(contact: string): readonly SavedKey[] {
    const { store, service } = this.#options
    return readAs(ringSchema, store.getItem(ringKey(service, contact))) ?? []
  }

  #save(keys: readonly SavedKey[]): void {
    const { store, service, onKeys } = this.#options
    this.#keys = this.#newest(keys)
    if (this.#isClosed) return
    store.setItem(ringKey(service, this.#contact), JSON.stringify(this.#keys))
    onKeys?.(this.#keys)
  }
}
