import { ContactError } from '../../../protocol/index.ts'
import { charactersOf, firstAppends } from './write-jobs.ts'
import type { Append, Batch, Job } from './write-jobs.ts'
import type { AppendResult, EntryInsert } from './entry-insert.ts'

/** The limits of one append statement, in entries and in characters. A single larger append also fits. */
export const BATCH_LIMIT = 500
export const BATCH_CHARACTERS = 1_048_576
/**
 * The limits of the waiting jobs, in jobs and in characters of content. Beyond them the store cannot keep up.
 */
export const WAITING_JOBS = 20_000
export const WAITING_CHARACTERS = 64 * 1_048_576
/** Maximum number of changes in one transaction. */
export const GROUP_LIMIT = 64
/**
 * Append statements that run in parallel: they concern different contacts. Groups of changes run in parallel
 * when they have no lock key in common.
 */
const FLUSHES = 2
const GROUPS = 2
/**
 * An append statement begins at once beside one of fewer entries than this: at a low rate nobody waits for
 * somebody else's entry.
 */
export const FEW_ENTRIES = 4
/**
 * Beside a larger one it begins only so long after it, milliseconds: what comes meanwhile shares one statement,
 * which costs less than two. One that takes longer keeps nobody waiting.
 */
const BESIDE_MS = 20
/** Jobs whose contact another client of the database has locked run separately, this many in parallel. */
export const ALONE = 4

interface QueueWork<C> {
  /**
   * Appends entries. `waits`: waits for contacts that another client has locked. Without it, entries of such
   * contacts are not stored and get the fault `locked`.
   */
  readonly flush: (inserts: readonly EntryInsert[], waits: boolean) => Promise<AppendResult[]>
  /**
   * What a change reads or locks in addition to its contact. Changes with the same key never run in parallel
   * in different groups.
   */
  readonly lockKey: (change: C) => string | null
  /**
   * Runs changes. Returns those that it could not run because another client has locked their contact, or
   * because of another lock; with `waits` only the latter, and only of several. Never rejects.
   */
  readonly carryOut: (changes: readonly C[], waits: boolean) => Promise<readonly C[]>
  /** Whether a flush failed because of another client's lock on something other than the contacts. */
  readonly isBlocked: (cause: unknown) => boolean
}

/**
 * A queue for each contact. The jobs of one contact run in their order. Jobs of different contacts share
 * statements and transactions: while one statement runs, the next batch collects.
 * Shared statements do not wait for a contact that another client has locked. A job of such a contact runs
 * separately.
 */
export class WriteQueues<C> {
  readonly #work: QueueWork<C>
  /** Jobs by contact. The first job of each runs, or its contact is in one of the two sets below. */
  readonly #jobs = new Map<string, Job<C>[]>()
  readonly #toFlush = new Set<string>()
  readonly #toChange = new Set<string>()
  /** The lock keys of the running groups. */
  readonly #met = new Set<string>()
  readonly #alone: (() => Promise<void>)[] = []
  #flushing = 0
  /** Entries of the append statements that run. */
  #entries = 0
  /** When the last append statement began, by the monotonic clock. */
  #flushedAt = 0
  #looksAgain = false
  #changing = 0
  #runningAlone = 0
  #starting = false
  #depth = 0
  #characters = 0

  constructor(work: QueueWork<C>) {
    this.#work = work
  }

  async append(contact: string, inserts: readonly EntryInsert[]): Promise<AppendResult[]> {
    const characters = charactersOf(inserts)
    this.checkRoom()
    return new Promise((done, failed) =>
      this.#push(contact, { kind: 'append', inserts, characters, done, failed }),
    )
  }

  /** Adds a change, which runs when it is first in the queue of its contact. `characters`: of its content. */
  change(contact: string, change: C, characters = 0): void {
    this.#push(contact, { kind: 'change', change, characters })
  }

  /**
   * Fails when too many jobs wait, so that memory is bounded. The caller tries again later.
   *
   * @throws {@link ContactError} `offline`
   */
  checkRoom(): void {
    if (this.#depth >= WAITING_JOBS || this.#characters >= WAITING_CHARACTERS)
      throw new ContactError('offline', 'unable to carry out the call; too much waits for the store')
  }

  /** Jobs that are not finished. */
  get depth(): number {
    return this.#depth
  }

  #push(contact: string, job: Job<C>): void {
    this.#depth += 1
    this.#characters += job.characters
    const jobs = this.#jobs.get(contact)
    if (jobs) jobs.push(job)
    else {
      this.#jobs.set(contact, [job])
      this.#await(contact, job)
    }
  }

  #await(contact: string, first: Job<C>): void {
    if (first.kind === 'append') this.#toFlush.add(contact)
    else this.#toChange.add(contact)
    this.#startSoon()
  }

  /** Starts after the current turn of the event loop, so that its jobs share a statement. */
  #startSoon(): void {
    if (this.#starting) return
    this.#starting = true
    setImmediate(() => {
      this.#starting = false
      this.#start()
    })
  }

  #start(): void {
    while (this.#toChange.size > 0 && this.#changing < GROUPS) {
      const group = this.#takeGroup()
      if (group.size === 0) break
      void this.#change(group)
    }
    while (this.#toFlush.size > 0 && this.#flushing < FLUSHES) {
      const earlyMs = this.#entries < FEW_ENTRIES ? 0 : this.#flushedAt + BESIDE_MS - performance.now()
      if (earlyMs > 0) return this.#lookAgain(earlyMs)
      void this.#flushBatch()
    }
  }

  #lookAgain(afterMs: number): void {
    if (this.#looksAgain) return
    this.#looksAgain = true
    setTimeout(() => {
      this.#looksAgain = false
      this.#start()
    }, Math.ceil(afterMs))
  }

  async #change(group: ReadonlyMap<string, C>): Promise<void> {
    const changes = [...group.values()]
    const met = changes.flatMap((change) => this.#work.lockKey(change) ?? [])
    for (const each of met) this.#met.add(each)
    this.#changing += 1
    const blocked = new Set(await this.#work.carryOut(changes, false))
    this.#changing -= 1
    for (const each of met) this.#met.delete(each)
    for (const [contact, change] of group) {
      if (blocked.has(change)) this.#runAlone(() => this.#changeAlone(contact, change))
      else this.#end(contact, 1)
    }
    this.#startSoon()
  }

  async #changeAlone(contact: string, change: C): Promise<void> {
    await this.#work.carryOut([change], true)
    this.#end(contact, 1)
    this.#startSoon()
  }

  #runAlone(work: () => Promise<void>): void {
    this.#alone.push(work)
    this.#nextAlone()
  }

  #nextAlone(): void {
    if (this.#runningAlone >= ALONE) return
    const work = this.#alone.shift()
    if (!work) return
    this.#runningAlone += 1
    void work().then(() => {
      this.#runningAlone -= 1
      this.#nextAlone()
    })
  }

  /** Waiting changes whose lock keys are free, the oldest first. */
  #takeGroup(): Map<string, C> {
    const group = new Map<string, C>()
    for (const contact of this.#toChange) {
      if (group.size === GROUP_LIMIT) break
      const [job] = this.#jobs.get(contact) ?? []
      if (job?.kind !== 'change' || this.#met.has(this.#work.lockKey(job.change) ?? '')) continue
      this.#toChange.delete(contact)
      group.set(contact, job.change)
    }
    return group
  }

  async #flushBatch(): Promise<void> {
    const { batch, entries } = this.#takeBatch()
    this.#flushing += 1
    this.#entries += entries
    this.#flushedAt = performance.now()
    await this.#flush(batch, false)
    this.#flushing -= 1
    this.#entries -= entries
    this.#startSoon()
  }

  async #flush(batch: Batch, waits: boolean): Promise<void> {
    const appends = [...batch.values()].flat()
    try {
      const outcomes = await this.#work.flush(
        appends.flatMap((job) => job.inserts),
        waits,
      )
      let from = 0
      for (const [contact, jobs] of batch) {
        const ends = jobs.map((job) => outcomes.slice(from, (from += job.inserts.length)))
        if (!waits && ends[0]?.[0]?.fault === 'locked') this.#flushAlone(contact, jobs)
        else this.#ended(contact, jobs, (job, index) => job.done(ends[index] ?? []))
      }
    } catch (cause) {
      const isShared = batch.size > 1 && this.#work.isBlocked(cause)
      for (const [contact, jobs] of batch) {
        if (isShared) this.#flushAlone(contact, jobs)
        else this.#ended(contact, jobs, (job) => job.failed(cause))
      }
    }
  }

  #ended(contact: string, jobs: readonly Append[], tell: (job: Append, index: number) => void): void {
    jobs.forEach(tell)
    this.#end(contact, jobs.length)
  }

  /** Runs the jobs of one contact separately, so that no other contact waits for its lock. */
  #flushAlone(contact: string, jobs: readonly Append[]): void {
    this.#runAlone(async () => {
      await this.#flush(new Map([[contact, jobs]]), true)
      this.#startSoon()
    })
  }

  /** The first appends of the waiting contacts, the oldest first. */
  #takeBatch(): { readonly batch: Batch; readonly entries: number } {
    const batch = new Map<string, readonly Append[]>()
    const room = { entries: BATCH_LIMIT, characters: BATCH_CHARACTERS }
    for (const contact of this.#toFlush) {
      if (room.entries <= 0 || room.characters <= 0) break
      this.#toFlush.delete(contact)
      const appends = firstAppends(this.#jobs.get(contact) ?? [], room)
      batch.set(contact, appends)
      for (const append of appends) {
        room.entries -= append.inserts.length
        room.characters -= append.characters
      }
    }
    return { batch, entries: BATCH_LIMIT - room.entries }
  }

  #end(contact: string, count: number): void {
    const all = this.#jobs.get(contact) ?? []
    const jobs = all.slice(count)
    this.#depth -= count
    this.#characters -= all.slice(0, count).reduce((sum, { characters }) => sum + characters, 0)
    const [first] = jobs
    if (first) {
      this.#jobs.set(contact, jobs)
      this.#await(contact, first)
    } else this.#jobs.delete(contact)
  }
}
