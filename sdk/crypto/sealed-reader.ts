/** What a reader does with each entry of a secure contact, in the order of encryption.md section 5. */
import { otherSlot } from '../../protocol/index.ts'
import type { Clock, ContactState, Entry, InsecureMessage, PartyEntry, Slot } from '../../protocol/index.ts'
import type { Delivery } from '../contact/event-queue.ts'
import { SecureFiles } from '../attachments/secure-files.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { opened } from './entry-sealing.ts'
import type { KeyRing } from './key-ring.ts'
import { isSealedType, placeOf, rawOf, sealOf, tampered } from './log-guard.ts'
import type { SealedLog, Verdict } from './log-guard.ts'
import type { Place } from './interface.ts'

/** How long an entry waits for a key that another tab may have. */
const KEY_LIMIT_MS = 2_000 // §3

export interface SealedReaderOptions {
  readonly role: Slot
  readonly contact: string
  readonly ring: KeyRing
  readonly log: SealedLog
  readonly clock: Clock
  readonly delivery: Pick<Delivery, 'emit'>
  readonly place: () => Place
  /** Something of the other party has opened under the key that is agreed. */
  readonly onConfirmed: () => void
  /** The log under an id of the contact, as far as this page has read it. */
  readonly logOf: (contact: string) => SealedLog | undefined
  /** What waited for a key may be read. */
  readonly onRead: () => void
}

const UNTOLD = { isUntold: true } as const // §5

/** What the service itself says: in the transcript of a secure contact there is nothing of it. */
const isSaid = ({ type }: Entry): boolean => type === 'attachment' || type === 'notice'

/** Reads the log of one contact. */
export class SealedReader {
  readonly #options: SealedReaderOptions
  readonly #verdicts = new WeakMap<Entry, Verdict>()
  /** Keys that did not come in time. */
  readonly #missing = new Set<string>()
  /** Ids of reveals: their acknowledgements confirm keys, and are no events on any page. */
  readonly #reveals = new Set<string>()
  #waiting: unknown = null

  /** Files of the contact: what is stored, and what its sender tells of it. */
  readonly files: SecureFiles

  constructor(options: SealedReaderOptions) {
    const { delivery } = options
    this.#options = options
    this.files = new SecureFiles({
      open: (entry) => this.#plain(options.contact, entry),
      onMalformed: () => delivery.emit('insecure', { type: 'file', reason: 'malformed' }),
    })
  }

  /** As of `LogGuard`. @throws {@link ContactError} `tampered` */
  check(entry: Entry, { keys }: ContactState): boolean {
    const { log, role } = this.#options
    log.chain(entry)
    const raw = rawOf(entry)
    if (raw['slot'] !== 'visitor' && raw['slot'] !== 'agent') return true
    const verdict = isSealedType(raw.type) ? log.judge(raw) : 'none'
    const key = sealOf(raw)?.key
    const isCurrent = keys?.name === 'agreed' && keys.id === key
    if (verdict === 'unknown' && isCurrent && this.#isNew(entry) && !this.#missing.has(key ?? '')) {
      this.#wait(key ?? '')
      return false
    }
    log.follow(raw, verdict)
    if (verdict === 'bad' && isCurrent) throw tampered() // §5
    if (verdict === 'good' && isCurrent && raw['slot'] === otherSlot(role)) this.#options.onConfirmed()
    this.#verdicts.set(entry, verdict)
    if (raw.type === 'keyReveal') this.#reveals.add(entry.id)
    return true
  }

  /** As of `LogGuard`. */
  open(read: ReadEntry): ReadEntry {
    const { role } = this.#options
    const { entry } = read
    const raw = rawOf(entry)
    if (entry.type === 'notice') return this.#unencrypted(read)
    if (entry.slot === 'service' || !isSealedType(raw.type)) return read
    const isOther = entry.slot === otherSlot(role)
    const verdict = this.#verdicts.get(entry) ?? 'none'
    const isLate = isOther && this.#isLate(entry)
    if (!isLate && !this.#isNew(entry)) return read
    if (verdict === 'none' || !('seal' in entry.body)) {
      if (isOther && !isLate) this.#insecure({ type: raw.type, reason: 'clear' })
      return { ...read, ...UNTOLD }
    }
    if (read.fact.kind === 'void') return read
    if (verdict !== 'good' && verdict !== 'unchecked') return { ...read, ...UNTOLD }
    if (entry.type === 'ack' && this.#reveals.has(entry.body.ref)) return { ...read, ...UNTOLD }
    const late = isLate && { isLate }
    return this.#opened({ ...read, ...late, key: entry.body.seal.key }, entry)
  }

  /**
   * An entry of the log as it is shown later. Null: there is nothing to show; undefined: this page has not its
   * key.
   * @throws {@link ContactError} `tampered` — it is another one than was read before
   */
  readable(contact: string, entry: Entry): Entry | null | undefined {
    const { logOf, ring } = this.#options
    const raw = rawOf(entry)
    const isCurrent = contact === this.#options.contact
    if (logOf(contact)?.isRead(entry) === false) throw tampered() // §2
    if (entry.slot === 'service') return isSaid(entry) ? null : entry
    const kept = ring.get(sealOf(raw)?.key ?? '')
    if (!isSealedType(raw.type) || !('seal' in entry.body)) return null
    if (!kept) return undefined
    if (kept.contact !== contact || entry.seq <= kept.since || entry.seq >= (kept.until ?? Infinity))
      return null
    const plain = this.#plain(contact, entry)
    if (plain?.type !== 'file') return plain
    const read = { entry: plain, fact: { kind: 'none' } } as ReadEntry
    return isCurrent ? (this.files.told(read)?.entry ?? null) : null
  }

  #plain = (contact: string, entry: PartyEntry): PartyEntry | null => {
    const { ring } = this.#options
    return opened(entry, placeOf(contact, rawOf(entry)), ring.keysOf.bind(ring))
  }

  /** Whether the seal of an entry is right under the key that it names. */
  isSealGood = (entry: Entry): boolean => {
    const raw = rawOf(entry)
    const { log } = this.#options
    return log.judge(raw) === 'good'
  }

  /** A key has come: what waited for it is read. */
  keysCame(): void {
    if (this.#waiting !== null) this.#release()
  }

  end(): void {
    this.#options.clock.clearTimeout(this.#waiting)
    this.#waiting = null
  }

  #opened(read: ReadEntry, entry: PartyEntry): ReadEntry {
    const { contact, role } = this.#options
    const plain = this.#plain(contact, entry)
    if (plain === null && entry.slot === otherSlot(role) && !read.isLate)
      this.#insecure({ type: entry.type, reason: 'malformed' })
    if (entry.type === 'reject' && read.fact.kind === 'ended' && read.fact.ending.kind === 'rejected') {
      const reason = plain?.type === 'reject' ? plain.body.reason : ''
      return { ...read, entry: plain ?? entry, fact: { ...read.fact, ending: { kind: 'rejected', reason } } }
    }
    return plain === null ? { ...read, ...UNTOLD } : { ...read, entry: plain }
  }

  #isNew = ({ seq }: Entry): boolean => seq > (this.#options.place().seen ?? Number.POSITIVE_INFINITY)

  /** An earlier page of the tab has read it, and has held what is told of it. */
  #isLate({ seq }: Entry): boolean {
    const from = this.#options.ring.heldFrom
    return from !== null && seq >= from && seq <= (this.#options.place().seen ?? 0)
  }

  /** A message that a service writes all the same, which could say anything in anybody's name. */
  #unencrypted(read: ReadEntry): ReadEntry {
    if (this.#isNew(read.entry)) this.#insecure({ type: 'notice', reason: 'clear' })
    return { ...read, ...UNTOLD }
  }

  #insecure(message: InsecureMessage): void {
    this.#options.delivery.emit('insecure', message)
  }

  #wait(key: string): void {
    this.#waiting ??= this.#options.clock.setTimeout(() => {
      this.#missing.add(key)
      this.#release()
    }, KEY_LIMIT_MS)
  }

  #release(): void {
    this.end()
    this.#options.onRead()
  }
}
