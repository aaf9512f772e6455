/** The log as a reader checks it: chain of heads, counters, seals (encryption.md sections 2 and 5). */
import { ContactError, definitionOf, rawEntry } from '../../protocol/index.ts'
import type { Entry, JsonValue, Seal, Slot } from '../../protocol/index.ts'
import type { EntryPlace } from './associated-data.ts'
import { base64, fromBase64 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { firstHead, nextHead, sealMac } from './chain.ts'
import type { RawEntry } from './chain.ts'
import { equalBytes } from './hash.ts'
import type { KeyRing, Meeting } from './key-ring.ts'

/** What a seal turned out to be. `none`: there is none; `unknown`: this page has not its key. */
export type Verdict = 'good' | 'bad' | 'unknown' | 'none' | 'unchecked'

/** A log that is not the one that its writers have read. */
export const tampered = (): ContactError =>
  new ContactError('tampered', 'unable to go on; the log is not the one that the other party reads')

/** The entry as it came from the service. */
export const rawOf = (entry: Entry): RawEntry => (rawEntry(entry) ?? entry) as RawEntry

/** Where an entry of a party stands. */
export const placeOf = (contact: string, { slot, session, counter, id, type }: RawEntry): EntryPlace => ({
  contact,
  slot: slot as Slot,
  session: session as string,
  counter: counter as number,
  id: id as string,
  type,
})

/** The seal of an entry that was received; null where it has none of that form. */
export function sealOf({ body }: RawEntry): Seal | null {
  const { key, read, mac } = Object((Object(body) as { readonly seal?: unknown }).seal) as Partial<Seal>
  return typeof key === 'string' && typeof mac === 'string' && Number.isSafeInteger(read)
    ? { key, read: read as number, mac }
    : null
}

/** What is written before there is a key. */
export const KEY_ENTRIES: ReadonlySet<string> = new Set(['present', 'keyCommit', 'keyShare', 'keyReveal']) // §5

/** Whether entries of a type have a seal. */
export const isSealedType = (type: string): boolean => definitionOf(type)?.isSealed === true

/** The heads of one log, and what its entries are sealed with. */
export class SealedLog {
  readonly #contact: string
  readonly #ring: KeyRing
  readonly #meeting: Meeting | null
  readonly #heads: Bytes[]
  /** By session: its last counter, and the last entry that its author had read. */
  readonly #lasts = new Map<string, { readonly counter: number; readonly read: number }>()

  constructor(contact: string, ring: KeyRing) {
    this.#contact = contact
    this.#ring = ring
    this.#meeting = ring.meeting
    this.#heads = [firstHead(contact)]
  }

  /** The head after an entry. */
  headAt = (seq: number): Bytes => this.#heads[seq] as Bytes

  /** Whether an earlier page of the tab has checked the seals up to here. */
  isMet = (seq: number): boolean => this.#meeting !== null && seq <= this.#meeting.seq

  /** What the next page of the tab has to meet. */
  meet(seq: number): void {
    const head = this.#heads[seq]
    if (head && !this.isMet(seq)) this.#ring.meet({ seq, head: base64(head) })
  }

  /** Whether an entry is the one that was read at its place; true of one that was not read yet. */
  isRead(entry: Entry): boolean {
    const [before, head] = [this.#heads[entry.seq - 1], this.#heads[entry.seq]]
    return !before || !head || equalBytes(nextHead(before, rawOf(entry)), head)
  }

  /** Adds an entry to the chain, once. @throws {@link ContactError} `tampered` */
  chain(entry: Entry): void {
    const last = this.#heads[entry.seq - 1]
    if (!last || this.#heads.length > entry.seq) return
    let head: Bytes
    try {
      head = nextHead(last, rawOf(entry))
    } catch {
      throw tampered() // §2
    }
    this.#heads.push(head)
    if (this.#meeting?.seq === entry.seq && this.#meeting.head !== base64(head)) throw tampered() // §2
  }

  /** Judges the seal of an entry. */
  judge(raw: RawEntry, keys = this.#keysOf(raw)): Verdict {
    const seal = sealOf(raw)
    if (!seal) return 'none'
    if (this.isMet(raw['seq'] as number)) return 'unchecked'
    if (!keys) return 'unknown'
    const { seal: _, ...members } = raw.body
    const { mac, ...rest } = raw.body['seal'] as Readonly<Record<string, JsonValue>>
    const head = this.#heads[seal.read]
    const given = fromBase64(mac as string)
    if (!head || seal.read >= (raw['seq'] as number) || !given) return 'bad' // §2
    const body = { ...members, seal: rest }
    try {
      const expected = sealMac(keys.seal, placeOf(this.#contact, raw), { read: seal.read, head, body })
      return equalBytes(expected, given) ? 'good' : 'bad' // §2
    } catch {
      // No author numbers or names an entry so that a seal cannot say it.
      return 'bad'
    }
  }

  /**
   * Numbers of a session rise, and so does what its author has read.
   * @throws {@link ContactError} `tampered`
   */
  follow(raw: RawEntry, verdict: Verdict): void {
    const session = raw['session'] as string
    const counter = raw['counter'] as number
    const last = this.#lasts.get(session) ?? { counter: 0, read: 0 }
    if (!Number.isSafeInteger(counter) || counter <= last.counter) throw tampered() // §5
    const read = verdict === 'good' ? (sealOf(raw)?.read ?? 0) : last.read
    if (read < last.read) throw tampered() // §5
    this.#lasts.set(session, { counter, read })
  }

  #keysOf(raw: RawEntry): { readonly seal: Bytes } | null {
    const id = sealOf(raw)?.key
    if (id === undefined || this.#ring.get(id)?.contact !== this.#contact) return null
    return this.#ring.keysOf(id, raw['slot'] as Slot)
  }
}
