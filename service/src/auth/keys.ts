import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Random } from '../clock/random.ts'
import type { Tables } from '../store/tables.ts'

const ALGORITHM = 'EdDSA'

/** Of the advisory lock under which keys are made. */
const LOCK = 20_261_123
/** Another node may sign with a key that this one has not read yet: it reads again, so often at most. */
const READ_AGAIN_MS = 10_000
/** Among several nodes a new key signs so long after it was stored. */
export const SIGNS_AFTER_MS = 60_000

/** Longer than any token lives that was signed before the last change of keys. */
const KEPT_MS = 13 * 3_600_000

interface SigningKey {
  readonly kid: string
  readonly key: CryptoKey
}

/** What signs tokens, and what checks them. */
export interface SigningKeys {
  readonly current: SigningKey
  find(kid: string): CryptoKey | undefined
  /** The same. Asks the store where it is unknown: another node may have made it. */
  findAgain(kid: string): Promise<CryptoKey | undefined>
}

/** How keys are used. */
export interface KeyUse {
  /** Milliseconds of the store's clock. */
  readonly now: () => number
  /** A new key signs when all nodes can have read it. */
  readonly signsAfterMs: number
}

/** The service's own signing keys. The first is made at the first start; they stay in the store. */
export class StoredKeys implements SigningKeys {
  readonly #db: Kysely<Tables>
  readonly #use: KeyUse
  #loaded: Loaded
  #askedAt = Number.NEGATIVE_INFINITY

  private constructor(db: Kysely<Tables>, use: KeyUse, keys: Loaded) {
    this.#db = db
    this.#use = use
    this.#loaded = keys
  }

  /** Of several nodes that start at once, one makes the first key. */
  static async load(db: Kysely<Tables>, use: KeyUse): Promise<StoredKeys> {
    await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
      const first = await trx.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst()
      if (!first) await makeKey(trx, use.now())
    })
    return new StoredKeys(db, use, await loaded(db))
  }

  /** The newest that all nodes can know; else the one that is known longest. */
  get current(): SigningKey {
    const { signing } = this.#loaded
    const { now, signsAfterMs } = this.#use
    const before = now() - signsAfterMs
    const key = signing.find(({ created }) => created <= before) ?? signing.at(-1)
    if (!key) throw new Error('there is no signing key')
    return key
  }

  find(kid: string): CryptoKey | undefined {
    return this.#loaded.known.get(kid)
  }

  async findAgain(kid: string): Promise<CryptoKey | undefined> {
    const now = this.#use.now()
    if (!this.find(kid) && now - this.#askedAt >= READ_AGAIN_MS) {
      this.#askedAt = now
      await this.refresh()
    }
    return this.find(kid)
  }

  /** Reads what other nodes have made and voided. */
  async refresh(): Promise<void> {
    this.#loaded = await loaded(this.#db)
  }

  /**
   * Signs with a new key from now on. Tokens of the one before go on until they expire, or (`voids`) are
   * refused from then on, with all that were signed ever.
   */
  async rotate(now: number, voids: boolean): Promise<void> {
    const made = await makeKey(this.#db, now)
    const rows = await newestFirst(this.#db)
    /** A key was in use until the next newer one was made. */
    const isOver = (index: number): boolean => voids || (rows[index - 1]?.created ?? now) < now - KEPT_MS
    const over = rows.filter(({ kid }, index) => kid !== made.kid && isOver(index)).map(({ kid }) => kid)
    if (over.length > 0) await this.#db.deleteFrom('signing_keys').where('kid', 'in', over).execute()
    await this.refresh()
  }
}

/** Those of a single node, unless `use` says otherwise. */
export const loadSigningKeys = (
  db: Kysely<Tables>,
  now: number | (() => number),
  signsAfterMs = 0,
): Promise<StoredKeys> =>
  StoredKeys.load(db, { now: typeof now === 'number' ? () => now : now, signsAfterMs })

const newestFirst = (db: Kysely<Tables>) =>
  db.selectFrom('signing_keys').selectAll().orderBy('created', 'desc').execute()

interface Loaded {
  /** The newest first. */
  readonly signing: readonly (SigningKey & { readonly created: number })[]
  readonly known: ReadonlyMap<string, CryptoKey>
}

async function loaded(db: Kysely<Tables>): Promise<Loaded> {
  const known = new Map<string, CryptoKey>()
  const signing: Loaded['signing'][number][] = []
  for (const { kid, private_jwk: text, created } of await newestFirst(db)) {
    const jwk = JSON.parse(text) as JWK
    known.set(kid, await importKey(publicPart(jwk)))
    signing.push({ kid, created, key: await importKey(jwk) })
  }
  return { signing, known }
}

async function makeKey(db: Kysely<Tables>, now: number) {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true })
  const jwk = await exportJWK(privateKey)
  const row = { kid: await calculateJwkThumbprint(jwk), private_jwk: JSON.stringify(jwk), created: now }
  await db.insertInto('signing_keys').values(row).execute()
  return row
}

const publicPart = ({ d: _private, ...jwk }: JWK): JWK => jwk

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('a signing key is not of the expected kind')
  return key
}

/** A secret of this deployment, made once. */
export async function loadSecret(db: Kysely<Tables>, name: string, random: Random): Promise<string> {
  await db
    .insertInto('secrets')
    .values({ name, value: random(32).toString('base64url') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { value } = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return value
}
