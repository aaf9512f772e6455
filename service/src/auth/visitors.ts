import { createHash, createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { REMOVAL_BATCH, removeRefreshTokensOf } from '../store/removal.ts'
import type { Tables } from '../store/tables.ts'
import { VISITOR_TOKEN_MS } from './tokens.ts'
import type { Identity } from './identities.ts'
import type { Tokens } from './tokens.ts'

/** Begins the ids of visitors whom nobody names. */
export const ANONYMOUS = 'v-'
/** How long an anonymous visitor who is away may come back. */
export const REFRESH_DAYS = 30
const REFRESH_MS = REFRESH_DAYS * 24 * 3_600_000
/** A lost answer may be asked for again for this long. */
const AGAIN_MS = 60_000
const SEAL_BYTES = 12

/** What a visitor signs in with. */
export interface VisitorSignIn {
  readonly visitor: string
  readonly token: string
  readonly expiresInMs: number
  /** Gives the next sign-in, once. */
  readonly refresh: string
}

interface SignedIn {
  readonly visitor: string
  readonly origin: string
  readonly refresh: string
  /** Before the store was asked. */
  readonly at: number
}

interface VisitorParts {
  readonly db: Kysely<Tables>
  readonly tokens: Tokens
  readonly clock: ServiceClock
  readonly random: Random
  /**
   * Refresh tokens follow from each other by it, so that the same successor can be given again without being
   * stored.
   */
  readonly secret: string
}

/** Anonymous visitors: their tokens are bound to the origin that asked for them. */
export class Visitors {
  readonly #parts: VisitorParts

  constructor(parts: VisitorParts) {
    this.#parts = parts
  }

  async create(origin: string): Promise<VisitorSignIn> {
    const { db, clock, random } = this.#parts
    const at = clock.now()
    const visitor = randomId(random, ANONYMOUS)
    const refresh = this.#seal(random(32).toString('base64url'))
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('visitors').values({ id: visitor, origin, created: at }).execute()
      await this.#store(trx, { refresh, family: randomId(random, 'f-'), visitor, origin })
    })
    return this.#signIn({ visitor, origin, refresh, at })
  }

  /**
   * The next sign-in of the same visitor. `count` may refuse it before anything is written.
   *
   * @throws {@link ContactError} `unauthorized` — unknown, expired, of another origin, or used before: then
   *   all successors are void too.
   */
  async refresh(refresh: string, origin: string, count: (visitor: string) => void): Promise<VisitorSignIn> {
    const { db, clock } = this.#parts
    const at = clock.now()
    const row = await db
      .selectFrom('refresh_tokens')
      .selectAll()
      .where('hash', '=', hashOf(refresh))
      .executeTakeFirst()
    if (!row || row.revoked || row.origin !== origin || row.expires <= clock.now()) throw refused()
    if (row.used !== null && clock.now() - row.used > AGAIN_MS) {
      await voidUsable(db, row.visitor, at)
      throw refused()
    }
    const next = this.#successorOf(refresh)
    count(row.visitor)
    if (row.used === null && !(await this.#use(row, next))) return this.refresh(refresh, origin, count)
    return this.#signIn({ visitor: row.visitor, origin, refresh: next, at })
  }

  /** Whether the service has made it: what is not sealed is a forgery, or older than the seals. */
  isSealed(refresh: string): boolean {
    const [body = ''] = refresh.split('.')
    return refresh === this.#seal(body)
  }

  /**
   * Whose refresh token it is, void or not; null where it is nobody's, or has expired. `count` may refuse to
   * tell.
   */
  async visitorOf(refresh: string, origin: string, count: (visitor: string) => void): Promise<string | null> {
    const { db, clock } = this.#parts
    const row = await db
      .selectFrom('refresh_tokens')
      .select('visitor')
      .where('hash', '=', hashOf(refresh))
      .where('origin', '=', origin)
      .where('expires', '>', clock.now())
      .executeTakeFirst()
    if (!row) return null
    count(row.visitor)
    return row.visitor
  }

  /** Stores the successor. False where the token has been used or voided meanwhile. */
  #use({ hash, family, visitor, origin }: Tables['refresh_tokens'], next: string): Promise<boolean> {
    const { db, clock } = this.#parts
    return db.transaction().execute(async (trx) => {
      const used = await trx
        .updateTable('refresh_tokens')
        .set({ used: clock.now() })
        .where('hash', '=', hash)
        .where('used', 'is', null)
        .where('revoked', '=', false)
        .returning('hash')
        .execute()
      if (used.length > 0) await this.#store(trx, { refresh: next, family, visitor, origin })
      return used.length > 0
    })
  }

  /** A visitor whom the site names: the same one wherever they sign in. */
  async identified(
    { id: visitor, nick }: Pick<Identity, 'id' | 'nick'>,
    origin: string,
  ): Promise<Omit<VisitorSignIn, 'refresh'>> {
    const { db, clock, tokens } = this.#parts
    const at = clock.now()
    await db
      .insertInto('visitors')
      .values({ id: visitor, origin, created: at })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    return {
      visitor,
      token: await tokens.issueVisitor({ visitor, origin, nick }, at),
      expiresInMs: VISITOR_TOKEN_MS,
    }
  }

  async #signIn({ visitor, origin, refresh, at }: SignedIn): Promise<VisitorSignIn> {
    return {
      visitor,
      token: await this.#parts.tokens.issueVisitor({ visitor, origin }, at),
      expiresInMs: VISITOR_TOKEN_MS,
      refresh,
    }
  }

  async #store(
    trx: Transaction<Tables>,
    {
      refresh,
      family,
      visitor,
      origin,
    }: { refresh: string; family: string; visitor: string; origin: string },
  ): Promise<void> {
    const expires = this.#parts.clock.now() + REFRESH_MS
    await trx
      .insertInto('refresh_tokens')
      .values({ hash: hashOf(refresh), family, visitor, origin, expires, used: null, revoked: false })
      .execute()
  }

  #successorOf(refresh: string): string {
    return this.#seal(this.#hmac(`refresh ${refresh}`).toString('base64url'))
  }

  #seal(body: string): string {
    return `${body}.${this.#hmac(`seal ${body}`).subarray(0, SEAL_BYTES).toString('base64url')}`
  }

  #hmac(text: string): Buffer {
    return createHmac('sha256', this.#parts.secret).update(text).digest()
  }
}

/**
 * Voids all that a visitor could refresh their sign-in with. A successor that is stored meanwhile is met by
 * the next round.
 */
export async function voidSignIns(db: Kysely<Tables>, visitor: string, now: number): Promise<void> {
  for (let voided = 1; voided > 0;) voided = await voidUsable(db, visitor, now)
}

/**
 * Voids some of the tokens that would be answered: those that are not used, and those that were used so
 * recently that their answer may be asked for again. Those used before are refused anyway, however many there
 * are. Gives how many are void now.
 */
async function voidUsable(db: Kysely<Tables>, visitor: string, now: number): Promise<number> {
  // Twice the time: a token that is used meanwhile counts, too.
  const since = now - 2 * AGAIN_MS
  const { numAffectedRows } = await sql`update refresh_tokens set revoked = true where hash = any(array(
      (select hash from refresh_tokens where visitor = ${visitor} and used is null and not revoked
        limit ${REMOVAL_BATCH})
      union all (select hash from refresh_tokens where visitor = ${visitor} and used >= ${since}
        and not revoked limit ${REMOVAL_BATCH})))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Removes who a visitor is, and all that they could sign in with again. */
export async function removeSignIns(db: Kysely<Tables>, visitor: string): Promise<void> {
  await db.deleteFrom('visitors').where('id', '=', visitor).execute()
  for (let removed = 1; removed > 0;) removed = await removeRefreshTokensOf(db, visitor)
}

const refused = (): ContactError =>
  new ContactError('unauthorized', 'unable to refresh the sign-in; the refresh token is not valid any more')

const hashOf = (refresh: string): string => createHash('sha256').update(refresh).digest('base64url')
