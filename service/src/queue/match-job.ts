import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { OwnNode } from '../cluster/own-node.ts'
import type { NodeState } from '../cluster/session-rules.ts'
import { afterLook, mayTakeJob } from '../cluster/work-rules.ts'
import type { SeenJob } from '../cluster/work-rules.ts'
import type { Tables } from '../store/tables.ts'

/** How often a node among several looks whether something waits. */
const WATCH_MS = 1_000

interface JobParts {
  readonly db: Kysely<Tables>
  readonly node: OwnNode
  /** Whether there may be other nodes. */
  readonly isOneOfMany: () => boolean
  /** Monotonic, milliseconds. */
  readonly passed?: () => number
  readonly onFault: (thrown: unknown) => void
}

interface JobRow {
  readonly node: string | null
  readonly round: number
  readonly state: NodeState | null
  readonly waiting: boolean
}

/**
 * Which node matches: the one that the row names. Whoever takes the job or writes offers adds 1 to its round, if
 * the round is still the one that they have seen: so one that was stopped finds itself replaced before it writes
 * anything. No statement waits for the row.
 */
export class MatchJob {
  readonly #parts: JobParts
  readonly #passed: () => number
  #seen: SeenJob | null = null
  #watch: NodeJS.Timeout | null = null

  constructor(parts: JobParts) {
    this.#parts = parts
    this.#passed = parts.passed ?? (() => performance.now())
  }

  /** Calls `run` each second in which this node has something to do, where there may be others. */
  watch(run: () => void): void {
    this.#watch = setInterval(() => {
      if (!this.#parts.isOneOfMany()) return
      this.#look()
        .then(({ row, isOwn, mayTake }) => {
          if (mayTake || (isOwn && row.waiting)) run()
        })
        .catch(this.#parts.onFault)
    }, WATCH_MS)
    this.#watch.unref()
  }

  stop(): void {
    if (this.#watch) clearInterval(this.#watch)
  }

  /** Begins a round, after taking the job over where nobody does it. False: it is another node's. */
  async begin(): Promise<boolean> {
    const { db, node, isOneOfMany } = this.#parts
    if (!node.takesWork) return false
    const { row, isOwn, mayTake } = await this.#look()
    if (!isOwn && !mayTake) return false
    // Alone, nobody looks at the round.
    return (isOwn && !isOneOfMany()) || this.#step(db, { from: row.node, round: row.round })
  }

  /** The round that stands while a part of it is planned. Null: the job is another node's. */
  async roundIn(trx: Kysely<Tables>): Promise<number | null> {
    const { rows } = await sql<{ round: number }>`
      select round from jobs where name = 'match' and node = ${this.#parts.node.id}`.execute(trx)
    return rows[0]?.round ?? null
  }

  /** Goes on to the next round before something is written. False: another node has the job meanwhile. */
  advance(trx: Kysely<Tables>, round: number): Promise<boolean> {
    return this.#step(trx, { from: this.#parts.node.id, round })
  }

  async #look(): Promise<{ readonly row: JobRow; readonly isOwn: boolean; readonly mayTake: boolean }> {
    const { db, node } = this.#parts
    const { rows } = await sql<JobRow>`
      select j.node, j.round, n.state, exists (select from contacts where waiting) as waiting
      from jobs j left join nodes n on n.node = j.node where j.name = 'match'`.execute(db)
    const [row] = rows
    if (!row) throw new Error('the job of the matcher is missing in the store')
    const now = this.#passed()
    this.#seen = afterLook(this.#seen, row.round, now)
    const states = new Map(row.node === null || row.state === null ? [] : [[row.node, row.state]])
    const isOwn = row.node === node.id
    const mayTake =
      !isOwn &&
      node.takesWork &&
      mayTakeJob({ node: row.node, isWaiting: row.waiting, seen: this.#seen }, states, now)
    return { row, isOwn, mayTake }
  }

  async #step(
    db: Kysely<Tables>,
    { from, round }: { readonly from: string | null; readonly round: number },
  ): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update jobs j set node = n.node, round = j.round + 1 from nodes n
      where n.node = ${this.#parts.node.id} and n.state = 'up' and j.name = any(array(
        select name from jobs where name = 'match' and round = ${round} and node is not distinct from ${from}
          for update skip locked))`.execute(db)
    return numAffectedRows === 1n
  }
}
