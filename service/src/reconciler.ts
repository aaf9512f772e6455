import { sql } from 'kysely'
import type { Hub } from './connections/hub.ts'
import type { Database } from './store/database.ts'

/** A notification of another process may be lost, so open contacts are compared with the store this often. */
const CHECK_MS = 5_000
/** Contacts that one statement looks up. */
const AT_ONCE = 1_000

interface ReconcilerParts {
  readonly db: Database['db']
  readonly hub: Hub
  /** Done before each comparison. */
  readonly before: () => Promise<void>
  readonly onFault: (thrown: unknown) => void
}

/** Compares the open contacts with the store, and repairs what a lost notification has left behind. */
export class Reconciler {
  readonly #parts: ReconcilerParts
  #check: NodeJS.Timeout | null = null
  #comparing = false

  constructor(parts: ReconcilerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#check = setInterval(() => void this.#compare().catch(this.#parts.onFault), CHECK_MS)
  }

  stop(): void {
    if (this.#check) clearInterval(this.#check)
  }

  async #compare(): Promise<void> {
    if (this.#comparing) return
    this.#comparing = true
    try {
      await this.#parts.before()
      const ids = this.#parts.hub.ids()
      for (let from = 0; from < ids.length; from += AT_ONCE)
        await this.#compareSome(ids.slice(from, from + AT_ONCE))
    } finally {
      this.#comparing = false
    }
  }

  /** Closes contacts that are no longer in the store: they were erased. */
  async #compareSome(ids: readonly string[]): Promise<void> {
    const { db, hub } = this.#parts
    const { rows } = await sql<{
      id: string
      head: number
    }>`select id, head from contacts where id = any(${ids})`.execute(db)
    const heads = new Map(rows.map(({ id, head }) => [id, head]))
    for (const id of ids) {
      const head = heads.get(id)
      if (head === undefined) hub.drop(id)
      else hub.check(id, head)
    }
  }
}
