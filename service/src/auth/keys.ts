import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import type { Kysely } from 'kysely'
import type { Random } from '../clock/random.ts'
import type { Tables } from '../store/tables.ts'

const ALGORITHM = 'EdDSA'

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
}

/** The service's own signing keys. The first is made at the first start; they stay in the store. */
export class StoredKeys implements SigningKeys {
  readonly #db: Kysely<Tables>
  #current: SigningKey
  #public: ReadonlyMap<string, CryptoKey>

  private constructor(db: Kysely<Tables>, { current, known }: Loaded) {
    this.#db = db
    this.#current = current
    this.#public = known
  }

  static async load(db: Kysely<Tables>, now: number): Promise<StoredKeys> {
    const first = await db.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst()
    if (!first) await makeKey(db, now)
    return new StoredKeys(db, await loaded(db))
  }

  get current(): SigningKey {
    return this.#current
  }

  find(kid: string): CryptoKey | undefined {
    return this.#public.get(kid)
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
    const { current, known } = await loaded(this.#db)
    this.#current = current
    this.#public = known
  }
}

export const loadSigningKeys = (db: Kysely<Tables>, now: number): Promise<StoredKeys> =>
  StoredKeys.load(db, now)

const newestFirst = (db: Kysely<Tables>) =>
  db.selectFrom('signing_keys').selectAll().orderBy('created', 'desc').execute()

interface Loaded {
  readonly current: SigningKey
  readonly known: ReadonlyMap<string, CryptoKey>
}

async function loaded(db: Kysely<Tables>): Promise<Loaded> {
  const rows = await newestFirst(db)
  const known = new Map<string, CryptoKey>()
  for (const { kid, private_jwk: text } of rows)
    known.set(kid, await importKey(publicPart(JSON.parse(text) as JWK)))
  const [newest] = rows
  if (!newest) throw new Error('there is no signing key')
  return { current: { kid: newest.kid, key: await importKey(JSON.parse(newest.private_jwk) as JWK) }, known }
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
