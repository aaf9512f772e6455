/**
 * The encryption of a secure contact: the agreement on keys, what is sealed with them and what is read. Loaded for
 * secure contacts only. The encryption machine decides; keys stand here and in the ring.
 */
import type { EncryptionFault } from '../../machines/encryption/index.ts'
import { ContactError, foldContact } from '../../protocol/index.ts'
import type { ContactState, Draft, Entry, RelayFrame, UnsentEntry } from '../../protocol/index.ts'
import type { FileEncryption } from '../attachments/file-encryption.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { Waiting } from '../log/waiting-entry.ts'
import { randomName } from '../values/random-id.ts'
import { random } from './bytes.ts'
import type { Writer } from './associated-data.ts'
import { sendableDraft } from './entry-sealing.ts'
import type { Pen } from './entry-sealing.ts'
import { Handshake, SIGNATURE } from './handshake.ts'
import type { Agreement } from './handshake.ts'
import type { Encryption, SecrecyHost, Sendable } from './interface.ts'
import { KeyRing, keptKey } from './key-ring.ts'
import { History } from './history.ts'
import { KEY_ENTRIES, SealedLog } from './log-guard.ts'
import { SealedFrames } from './sealed-frames.ts'
import { goingNow } from './sealed-outbox.ts'
import { SealedReader } from './sealed-reader.ts'
import { signerOf } from './sign-share.ts'
import { Trust } from './trust.ts'
import { Tabs } from './tabs.ts'
import { ValueOperations } from './value-operations.ts'

/** A key in use: with which session of the other party. */
interface Current {
  readonly id: string
  readonly peer: string | null
  /** Id of the key that it goes on from: its secret is erased when the other party has the new one. */
  readonly resumed: string | null
}

/** The encryption of one contact on one page. */
export class Secrecy extends ValueOperations implements Encryption {
  readonly #host: SecrecyHost
  readonly #tabs: Tabs
  readonly #frames: SealedFrames
  readonly #history: History
  protected readonly trust: Trust
  protected readonly ring: KeyRing
  #log!: SealedLog
  #reader!: SealedReader
  #handshake!: Handshake
  #current: Current | null = null
  #isLeaving = false
  /** The logs of the contact that this page has read, by id. */
  readonly #logs = new Map<string, SealedLog>()

  constructor(contact: string, before: string | undefined, host: SecrecyHost) {
    super()
    this.#host = host
    const { role, service, store, clock, openTabs } = host
    this.ring = new KeyRing(before ?? contact, {
      ...{ service, store, onKeys: () => this.#tabs.tell() },
      inUse: () => this.#current?.id ?? null,
    })
    this.#tabs = new Tabs({
      ...{ role, service, clock, open: openTabs, keys: () => this.ring.all, onAsked: host.onChange },
      onKeys: (keys) => this.#take(keys),
    })
    if (before !== undefined) this.ring.move(contact)
    this.trust = new Trust({
      ...{ host, ring: this.ring, onSecured: () => this.#changed() },
      onConfirmed: () => this.#confirmed(),
      onBroken: (error) => {
        this.#current = null
        host.onBroken(error)
      },
    })
    this.#frames = new SealedFrames({
      ...{ host, ring: this.ring, pen: () => this.#pen(), key: () => this.#current?.id ?? null },
      onOpened: () => this.trust.tell({ type: 'key.confirmed' }),
    })
    this.#history = new History({
      ...{ host, ring: this.ring, files: () => this.#reader.files },
      key: () => (this.mayRelay ? this.key : null),
    })
    this.#start(contact)
  }

  whileHeld(run: () => void, read?: ReadEntry): boolean {
    return this.trust.whileHeld(run, read)
  }

  broken(what: EncryptionFault): void {
    this.trust.break(what)
  }

  get key(): string | null {
    return this.#maySeal ? (this.#current?.id ?? null) : null
  }

  get mayRelay(): boolean {
    return this.#maySeal && (this.#current?.peer ?? null) !== null
  }

  mayGo(type: string): boolean {
    return KEY_ENTRIES.has(type) ? this.trust.error === null : this.#maySeal
  }

  due(isPresenting: boolean): readonly UnsentEntry[] {
    if (this.trust.error || this.#tabs.isAsking) return []
    return this.#handshake.due(this.#host.place().log.state, isPresenting)
  }

  going(queue: Waiting[]): readonly Waiting[] {
    return goingNow(queue, this)
  }

  refused(error: ContactError): void {
    this.#handshake.forget()
    if (error.code === 'invalid_argument') this.broken('service') // §5
  }

  seal(draft: Draft): Sendable<Draft> {
    const read = this.#host.place().log.state.seq
    return sendableDraft(draft, this.#pen(), { read, head: this.#log.headAt(read) })
  }

  check(entry: Entry, before: ContactState): boolean {
    return this.#guarded(() => this.#reader.check(entry, before)) === true
  }

  readonly fold = foldContact

  open(read: ReadEntry): ReadEntry {
    return this.#reader.open(read)
  }

  readonly files: FileEncryption = {
    encryptFile: (file) => this.#reader.files.encryptFile(file),
    openFile: (id) => this.#reader.files.openFile(id),
    history: (slot) => this.#reader.files.history(slot),
  }

  told(read: ReadEntry): ReadEntry | null {
    return this.#reader.files.told(read)
  }

  readable(contact: string, entry: Entry): Entry | null | undefined {
    const shown = this.#guarded(() => this.#reader.readable(contact, entry))
    this.trust.requireWhole()
    return shown
  }

  read(read: ReadEntry): void {
    const { after, entry } = read
    const { keys } = after
    this.trust.heard(read)
    if (keys?.name === 'none' || keys?.name === 'committed') this.#endKey(entry.seq)
    this.#guarded(() => {
      const agreement = this.#handshake.read(read)
      if (agreement) this.#agreed(agreement, read)
    })
    this.#reader.files.read(read)
    this.#follow(keys)
    this.#log.meet(entry.seq)
    this.#changed()
  }

  sealFrame = (to: string, frame: RelayFrame): Sendable<RelayFrame> => this.#frames.seal(to, frame)

  openFrame = (from: string, frame: RelayFrame): RelayFrame | null => this.#frames.open(from, frame)

  begin(): void {
    const { id } = this.#host.place()
    const isSame = id === this.#own.contact
    this.#endKey(0)
    this.trust.dropHeld()
    this.ring.move(id)
    this.#start(id)
    this.trust.tell({ type: 'peer.left' })
    if (isSame) this.broken('log') // §5
  }

  leave(): void {
    this.#isLeaving = true
  }

  end(isOver: boolean): void {
    this.#reader.end()
    this.#tabs.end()
    this.trust.end()
    const { role, place } = this.#host
    const goesOn = role === 'agent' && !this.#isLeaving && place().log.state.life !== 'cleared'
    if (isOver && goesOn) this.ring.leaveBehind()
    else if (isOver) this.ring.erase()
  }

  protected get usablePen(): Pen | null {
    return this.#maySeal ? this.#pen() : null
  }

  get #maySeal(): boolean {
    return this.#current !== null && this.trust.isSecured
  }

  #contact = ''
  get #own(): Writer {
    return { contact: this.#contact, slot: this.#host.role }
  }

  #start(contact: string): void {
    const { role, trustedKeys, place, clock, delivery } = this.#host
    const ring = this.ring
    this.#contact = contact
    this.#tabs.begin(contact, this.#host.isResumed)
    this.#log = new SealedLog(contact, ring)
    this.#logs.set(contact, this.#log)
    this.#reader?.end()
    this.#reader = new SealedReader({
      ...{ role, contact, ring, clock, delivery, log: this.#log, place },
      onConfirmed: () => this.trust.tell({ type: 'key.confirmed' }),
      logOf: (id) => this.#logs.get(id),
      onRead: this.#host.onRead,
    })
    this.#handshake = new Handshake({
      ...{ role, contact, ring, random, trustedKeys },
      session: () => place().session,
      sign: signerOf(contact, this.#host),
      onDue: this.#host.onChange,
    })
  }

  /** A key that this page has agreed on may be used from now on. */
  #agreed({ key, resumed, isSigned, peer }: Agreement, { entry, after }: ReadEntry): void {
    const { role, write } = this.#host
    const kept = resumed === null ? undefined : this.ring.get(resumed)
    const known = { contact: this.#contact, since: entry.seq, ...(kept && { code: kept.code }) }
    this.ring.add(keptKey(key, { ...known, verified: null }))
    if (role === 'agent' && !this.#reader.isSealGood(entry))
      throw new ContactError('tampered', 'unable to agree on a key; its first seal is wrong') // §5
    this.#current = { id: key.id, peer, resumed }
    if (role === 'agent' && resumed !== null) this.ring.change(resumed, { resume: null })
    this.trust.tell({ type: 'key.agreed', id: key.id, resumed, signed: isSigned })
    if (role === 'agent' && after.keys?.name === 'agreed')
      write({ id: randomName(), type: 'ack', body: { ref: entry.id } })
  }

  #confirmed(): void {
    const resumed = this.#current?.resumed ?? null
    if (resumed !== null) this.ring.change(resumed, { resume: null })
  }

  /** Another page of this party has agreed on a key: with it this page reads and writes, without a relay. */
  #follow(keys: ContactState['keys']): void {
    if (keys?.name !== 'agreed' || this.#current || this.trust.error) return
    const kept = this.ring.get(keys.id)
    if (!kept || kept.contact !== this.#contact) return
    this.#current = { id: keys.id, peer: null, resumed: null }
    const signed = kept.verified === 'organisation'
    this.trust.tell({ type: 'key.agreed', id: keys.id, resumed: keys.id, signed })
  }

  /** Keys of another tab of the party. */
  #take(keys: unknown): void {
    if (!this.ring.take(keys)) return
    this.trust.tell({ type: 'keys.came', verified: this.ring.verified })
    this.#reader.keysCame()
    this.#follow(this.#host.place().log.state.keys)
    this.#host.onChange()
  }

  #changed(): void {
    this.#host.onChange()
    this.#history.look()
    this.trust.released()
  }

  #endKey(seq: number): void {
    const current = this.#current
    if (!current) return
    this.#current = null
    this.ring.change(current.id, { until: seq })
    this.trust.tell({ type: 'key.ended' })
  }

  #pen(): Pen | null {
    const { role } = this.#host
    const key = this.#current?.id ?? ''
    const keys = this.ring.keysOf(key, role)
    return keys && { ...this.#own, key, keys, random }
  }

  /** What is found out breaks the contact. What cannot be read at all was tampered with as well. */
  #guarded<T>(run: () => T): T | null {
    try {
      return run()
    } catch (thrown) {
      const error = thrown instanceof ContactError && thrown.code === 'tampered' ? thrown : undefined
      this.trust.break(error?.message === SIGNATURE ? 'signature' : 'log', error)
      return null
    }
  }
}
