/**
 * Who takes the bytes of an upload: one request at a time, at one node. In a process tus's own locker decides;
 * among several nodes the row of the upload does. The holder counts a beat in it; who wants the upload asks the
 * holder to stop, and takes it when it is given, or has had no beat for a while.
 */
import { MemoryLocker } from '@tus/server'
import type { Lock, Locker, RequestRelease } from '@tus/server'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { UPLOAD_TIMES, afterLook, mayTakeUpload, mayWriteUpload } from '../cluster/work-rules.ts'
import type { SeenJob } from '../cluster/work-rules.ts'
import type { Tables } from '../store/tables.ts'
import { isElsewhere, isGone } from './upload-errors.ts'

/** The other nodes, as uploads see them. */
export interface UploadNodes {
  /** The identity of this node. */
  readonly node: () => string
  /** Whether this process has the store for itself. */
  readonly isAlone: () => boolean
  /** Asks the node that takes the bytes of an upload to stop. It may not hear of it. */
  readonly askRelease: (node: string, upload: string) => void
}

interface LockParts extends UploadNodes {
  readonly db: Kysely<Tables>
  readonly clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'>
  /** This node's own monotonic time in milliseconds. */
  readonly monotonic: () => number
  readonly random: Random
  readonly onFault: (thrown: unknown) => void
}

/** An upload whose bytes this node takes. */
interface Held {
  readonly lock: string
  readonly release: RequestRelease
  /** When the last beat was sent that the store has taken. */
  beatAt: number
  timer: unknown
}

export class UploadLocks implements Locker {
  readonly #parts: LockParts
  readonly #memory = new MemoryLocker()
  readonly #held = new Map<string, Held>()

  constructor(parts: LockParts) {
    this.#parts = parts
  }

  newLock(id: string): Lock {
    const here = this.#memory.newLock(id)
    return {
      lock: async (signal, release) => {
        await here.lock(signal, release)
        try {
          if (!this.#parts.isAlone()) await this.#take(id, signal, release)
        } catch (thrown) {
          await here.unlock()
          throw thrown
        }
      },
      unlock: async () => {
        await this.#give(id)
        await here.unlock()
      },
    }
  }

  /** Whether the next bytes of an upload may be written here: nobody else can have it yet. */
  mayWrite(id: string): boolean {
    const held = this.#held.get(id)
    return (
      this.#parts.isAlone() || (held !== undefined && mayWriteUpload(held.beatAt, this.#parts.monotonic()))
    )
  }

  /** Another node wants to take the bytes of an upload. */
  release(id: string): void {
    const { onFault } = this.#parts
    void Promise.resolve(this.#held.get(id)?.release()).catch(onFault)
  }

  async #take(id: string, signal: AbortSignal, release: RequestRelease): Promise<void> {
    const { db, node, monotonic, random, askRelease } = this.#parts
    const lock = randomId(random, 'l-')
    const until = monotonic() + UPLOAD_TIMES.waitMs
    let seen: SeenJob | null = null
    for (let asked = Number.NEGATIVE_INFINITY; monotonic() < until && !signal.aborted;) {
      const beatAt = monotonic()
      const expired = seen && mayTakeUpload(seen, beatAt) ? seen.round : null
      if (await takeLock(db, { id, lock, node: node() }, expired))
        return this.#hold(id, { lock, release, beatAt, timer: null })
      const found = await lockOf(db, id)
      if (!found) throw isGone()
      seen = afterLook(seen, found.lock_beat, monotonic())
      if (found.lock_node !== null && monotonic() - asked >= UPLOAD_TIMES.beatMs) {
        asked = monotonic()
        askRelease(found.lock_node, id)
      }
      await this.#pause(signal)
    }
    throw isElsewhere()
  }

  #hold(id: string, held: Held): void {
    this.#held.set(id, held)
    this.#beatLater(id, held)
  }

  #beatLater(id: string, held: Held): void {
    const { clock, onFault } = this.#parts
    held.timer = clock.setTimeout(() => void this.#beat(id, held).catch(onFault), UPLOAD_TIMES.beatMs)
  }

  /** A beat that the store does not take leaves the lease as it is; where another one has the upload, it is over. */
  async #beat(id: string, held: Held): Promise<void> {
    const { db, monotonic } = this.#parts
    const sentAt = monotonic()
    try {
      held.beatAt = (await beatLock(db, id, held.lock)) ? sentAt : Number.NEGATIVE_INFINITY
    } finally {
      if (this.#held.get(id) === held && held.beatAt > Number.NEGATIVE_INFINITY) this.#beatLater(id, held)
    }
  }

  /** Never rejects: a lock that stays in the store has no beat any more. */
  async #give(id: string): Promise<void> {
    const { db, clock, onFault } = this.#parts
    const held = this.#held.get(id)
    if (!held) return
    this.#held.delete(id)
    clock.clearTimeout(held.timer)
    await freeLock(db, id, held.lock).catch(onFault)
  }

  /** Until the next look, or until the request has ended. */
  #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    return new Promise((settle) => {
      const end = (): void => {
        clock.clearTimeout(timer)
        signal.removeEventListener('abort', end)
        settle()
      }
      const timer = clock.setTimeout(end, UPLOAD_TIMES.lookMs)
      signal.addEventListener('abort', end)
    })
  }
}

interface Taking {
  readonly id: string
  readonly lock: string
  readonly node: string
}

/** Takes an upload that nobody has, that this node has by its row alone, or that still has the beat `expired`. */
async function takeLock(
  db: Kysely<Tables>,
  { id, lock, node }: Taking,
  expired: number | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update attachments set lock = ${lock}, lock_node = ${node}, lock_beat = lock_beat + 1
      where id = ${id} and (lock is null or lock_node = ${node} or lock_beat = ${expired}::bigint)`.execute(
    db,
  )
  return numAffectedRows === 1n
}

const lockOf = (
  db: Kysely<Tables>,
  id: string,
): Promise<{ readonly lock_node: string | null; readonly lock_beat: number } | undefined> =>
  db.selectFrom('attachments').select(['lock_node', 'lock_beat']).where('id', '=', id).executeTakeFirst()

async function beatLock(db: Kysely<Tables>, id: string, lock: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update attachments set lock_beat = lock_beat + 1 where id = ${id} and lock = ${lock}`.execute(db)
  return numAffectedRows === 1n
}

async function freeLock(db: Kysely<Tables>, id: string, lock: string): Promise<void> {
  await sql`update attachments set lock = null, lock_node = null, lock_beat = lock_beat + 1
    where id = ${id} and lock = ${lock}`.execute(db)
}
