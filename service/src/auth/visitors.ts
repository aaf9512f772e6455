import { createHash, createHmac } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import type { Tables } from '../store/tables.ts'
import { VISITOR_TOKEN_MS } from './tokens.ts'
import type { Tokens } from './tokens.ts'

const REFRESH_MS = 30 * 24 * 3_600_000
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
    const visitor = randomId(random, 'v-')
    const refresh = this.#seal(random(32).toString('base64url'))
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('visitors').values({ id: visitor, origin, created: clock.now() }).execute()
      await this.#store(trx, { refresh, family: randomId(random, 'f-'), visitor, origin })
    })
    return this.#signIn(visitor, origin, refresh)
  }

  /**
   * The next sign-in of the same visitor. `count` may refuse it before anything is written.
   *
   * @throws {@link ContactError} `unauthorized` — unknown, expired, of another origin, or used before: then
   *   all successors are void too.
   */
  async refresh(refresh: string, origin: string, count: (visitor: string) => void): Promise<VisitorSignIn> {
    const { db, clock } = this.#parts
    const row = await db
      .selectFrom('refresh_tokens')
      .selectAll()
      .where('hash', '=', hashOf(refresh))
      .executeTakeFirst()
    if (!row || row.revoked || row.origin !== origin || row.expires <= clock.now()) throw refused()
    if (row.used !== null && clock.now() - row.used > AGAIN_MS) {
      await db.updateTable('refresh_tokens').set({ revoked: true }).where('family', '=', row.family).execute()
      throw refused()
    }
    const next = this.#successorOf(refresh)
    count(row.visitor)
    if (row.used === null && !(await this.#use(row, next))) return this.refresh(refresh, origin, count)
    return this.#signIn(row.visitor, origin, next)
  }

  /** Whether the service has made it: what is not sealed is a forgery, or older than the seals. */
  isSealed(refresh: string): boolean {
    const [body = ''] = refresh.split('.')
    return refresh === this.#seal(body)
  }

  /**
   * Voids the refresh token and all its successors. Gives the visitor whom it belonged to; null where it was
   * nobody's, or has expired. One that is void already is taken again, for an answer may have been lost:
   * `count` may refuse it before anything is written.
   */
  async signOut(refresh: string, origin: string, count: (visitor: string) => void): Promise<string | null> {
    const { db, clock } = this.#parts
    const row = await db
      .selectFrom('refresh_tokens')
      .select(['family', 'visitor'])
      .where('hash', '=', hashOf(refresh))
      .where('origin', '=', origin)
      .where('expires', '>', clock.now())
      .executeTakeFirst()
    if (!row) return null
    count(row.visitor)
    await db.updateTable('refresh_tokens').set({ revoked: true }).where('family', '=', row.family).execute()
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

  async #signIn(visitor: string, origin: string, refresh: string): Promise<VisitorSignIn> {
    return {
      visitor,
      token: await this.#parts.tokens.issueVisitor(visitor, origin),
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

const refused = (): ContactError =>
  new ContactError('unauthorized', 'unable to refresh the sign-in; the refresh token is not valid any more')

const hashOf = (refresh: string): string => createHash('sha256').update(refresh).digest('base64url')
