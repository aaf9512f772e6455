import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ServiceClock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'
import { LONGEST_LIFE_MS, refused } from './claims.ts'
import { ExpiringMap } from './expiring-map.ts'
import { IDENTIFIED } from './identities.ts'
import type { Principal } from './principal.ts'
import { VISITOR_TOKEN_MS } from './tokens.ts'
import type { CheckToken } from './tokens.ts'
import { voidSignIns } from './visitors.ts'

/** Whose tokens are void from now on: all that a party has been given so far, or one by its `jti`. */
export interface Revoked {
  readonly use: 'visitor' | 'agent' | 'token'
  readonly id: string
}

/** For what clocks differ by, and connections that outlive their token. */
const MARGIN_MS = 2 * 60_000
/** Tokens of agents may be of another issuer, and live for an unknown time. */
const FOR_GOOD = Number.MAX_SAFE_INTEGER
/** Rows of one statement. */
export const REVOCATION_PAGE = 1_000

interface RevocationParts {
  readonly db: Kysely<Tables>
  readonly clock: ServiceClock
}

interface RevocationRow {
  readonly subject: string
  readonly at: number
  readonly expires: number
  readonly changed: string
}

/** What may be known about a party and its token. */
interface Subjects {
  readonly party: string
  readonly token: string | null
}

/**
 * Tokens that are void before they expire. Kept in memory, so that connections are judged without the store,
 * for as long as such a token lives; what other nodes revoke is read every few seconds.
 */
export class Revocations {
  readonly #parts: RevocationParts
  /** The moment by what it is about. */
  readonly #known = new ExpiringMap<string, number>()
  readonly #subjects = new WeakMap<Principal, Subjects>()
  /** Everything that was written by transactions before this one has been read. */
  #readTo = '0'

  constructor(parts: RevocationParts) {
    this.#parts = parts
  }

  /** A visitor's sign-in cannot be refreshed from then on, either. */
  async revoke(revoked: Revoked): Promise<void> {
    const { db, clock } = this.#parts
    if (revoked.use === 'visitor') await voidSignIns(db, revoked.id, clock.now())
    const [subject, at] = [subjectOf(revoked), clock.now()]
    const expires = keptUntil(revoked, at)
    await db
      .insertInto('revocations')
      .values({ subject, at, expires })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet({ at, expires }))
      .execute()
    this.#known.set(subject, at, knownUntil({ at, expires }))
  }

  /** Reads what has been revoked since it was read last, here or on another node. */
  async load(): Promise<void> {
    const { db, clock } = this.#parts
    this.#known.prune(clock.now())
    // Whatever becomes visible later is of this transaction or of a later one.
    const { rows: moments } = await sql<{
      next: string
    }>`select pg_snapshot_xmin(pg_current_snapshot())::text as next`.execute(db)
    for (
      let page: RevocationRow[] | null = null;
      page === null || page.length === REVOCATION_PAGE;
      await turn()
    ) {
      page = await this.#page(page?.at(-1) ?? { changed: this.#readTo, subject: '' })
      for (const row of page) this.#note(row)
    }
    this.#readTo = moments[0]?.next ?? this.#readTo
  }

  /** How many are known. */
  get size(): number {
    return this.#known.size
  }

  covers(principal: Principal): boolean {
    if (this.#known.size === 0) return false
    const { party, token } = this.#subjectsOf(principal)
    const at = this.#known.get(party)
    return (at !== undefined && principal.issued <= at) || (token !== null && this.#known.has(token))
  }

  /** The same check for tokens that are not revoked. */
  guard =
    (check: CheckToken): CheckToken =>
    async (token) => {
      const principal = await check(token)
      if (this.covers(principal) || (principal.issued === 0 && (await this.#wasRevoked(principal))))
        throw refused()
      return principal
    }

  /**
   * A token that does not say when it was issued may be older than any revocation: the store remembers
   * those of agents and of single tokens for good.
   */
  async #wasRevoked(principal: Principal): Promise<boolean> {
    const { party, token } = this.#subjectsOf(principal)
    const found = await this.#parts.db
      .selectFrom('revocations')
      .select('subject')
      .where('subject', 'in', token === null ? [party] : [party, token])
      .executeTakeFirst()
    return found !== undefined
  }

  /** A connection is looked at time and again. */
  #subjectsOf(principal: Principal): Subjects {
    const { use, id, jti } = principal
    const subjects = this.#subjects.get(principal) ?? {
      party: subjectOf({ use, id }),
      token: jti === null ? null : subjectOf({ use: 'token', id: jti }),
    }
    this.#subjects.set(principal, subjects)
    return subjects
  }

  async #page({ changed, subject }: Pick<RevocationRow, 'changed' | 'subject'>): Promise<RevocationRow[]> {
    const { rows } = await sql<RevocationRow>`
      select subject, at, expires, changed::text as changed from revocations
      where (changed, subject) > (${changed}::xid8, ${subject}) order by changed, subject
        limit ${REVOCATION_PAGE}`.execute(this.#parts.db)
    return rows
  }

  #note({ subject, at, expires }: RevocationRow): void {
    const until = knownUntil({ at, expires })
    if (until >= this.#parts.clock.now() && (this.#known.get(subject) ?? Number.NEGATIVE_INFINITY) < at)
      this.#known.set(subject, at, until)
  }
}

/**
 * As long as what it voids may live: of an anonymous visitor only the service's own token, of one whom the site
 * names also the site's identities, which always say when they were issued.
 */
function keptUntil({ use, id }: Revoked, at: number): number {
  if (use !== 'visitor') return FOR_GOOD
  return at + (id.startsWith(IDENTIFIED) ? LONGEST_LIFE_MS : VISITOR_TOKEN_MS) + MARGIN_MS
}

/** In memory a revocation is known as long as a token lives that says when it was issued. */
const knownUntil = ({ at, expires }: Pick<RevocationRow, 'at' | 'expires'>): number =>
  Math.min(expires, at + LONGEST_LIFE_MS + MARGIN_MS)

/** A token as the store knows it. */
export const tokenSubject = (jti: string): string => subjectOf({ use: 'token', id: jti })

/** A digest: what is kept after a visitor was erased identifies nobody. */
const subjectOf = ({ use, id }: Revoked): string =>
  createHash('sha256').update(`${use} ${id}`).digest('base64url')
