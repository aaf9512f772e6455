import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { ServiceClock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'
import { refused } from './claims.ts'
import type { Principal } from './principal.ts'
import type { CheckToken } from './tokens.ts'

/** Whose tokens are void from now on: all that a party has been given so far, or one by its `jti`. */
export interface Revoked {
  readonly use: 'visitor' | 'agent' | 'token'
  readonly id: string
}

/** No token is taken for longer than this after it was revoked. */
export const REVOKED_FOR_MS = 30 * 86_400_000

interface RevocationParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
}

/** Tokens that are void before they expire. Kept in memory, so that connections are judged without the store; what other nodes revoke is read every few seconds. */
export class Revocations {
  readonly #parts: RevocationParts
  /** The moment by what it is about. */
  readonly #known = new Map<string, number>()

  constructor(parts: RevocationParts) {
    this.#parts = parts
  }

  async revoke(revoked: Revoked): Promise<void> {
    const { db, clock } = this.#parts
    const [subject, at] = [subjectOf(revoked), clock.now()]
    await db
      .insertInto('revocations')
      .values({ subject, at })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet({ at }))
      .execute()
    this.#known.set(subject, at)
  }

  /** Reads what has been revoked, here or on another node. */
  async load(): Promise<void> {
    const rows = await this.#parts.db.selectFrom('revocations').selectAll().execute()
    for (const { subject, at } of rows) this.#known.set(subject, Math.max(at, this.#known.get(subject) ?? 0))
  }

  covers({ use, id, issued, jti }: Principal): boolean {
    if (this.#known.size === 0) return false
    const at = this.#known.get(subjectOf({ use, id }))
    return (at !== undefined && issued <= at) || (jti !== null && this.#known.has(subjectOf({ use: 'token', id: jti })))
  }

  /** The same check for tokens that are not revoked. */
  guard =
    (check: CheckToken): CheckToken =>
    async (token) => {
      const principal = await check(token)
      if (this.covers(principal)) throw refused()
      return principal
    }
}

/** Names nobody: what is kept after a visitor was erased tells nothing of them. */
const subjectOf = ({ use, id }: Revoked): string => createHash('sha256').update(`${use} ${id}`).digest('base64url')
