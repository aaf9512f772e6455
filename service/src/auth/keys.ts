import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import type { Kysely } from 'kysely'
import type { Random } from '../clock/random.ts'
import type { Tables } from '../store/tables.ts'

const ALGORITHM = 'EdDSA'

/** The service's own signing keys, newest first. They are made at the first start and stay in the store. */
export interface SigningKeys {
  readonly current: { readonly kid: string; readonly key: CryptoKey }
  find(kid: string): CryptoKey | undefined
}

export async function loadSigningKeys(db: Kysely<Tables>, now: number): Promise<SigningKeys> {
  const stored = await db.selectFrom('signing_keys').selectAll().orderBy('created', 'desc').execute()
  const rows = stored.length > 0 ? stored : [await makeKey(db, now)]
  const publicKeys = new Map<string, CryptoKey>()
  for (const { kid, private_jwk: text } of rows) publicKeys.set(kid, await importKey(publicPart(JSON.parse(text) as JWK)))
  const newest = rows[0]
  if (!newest) throw new Error('there is no signing key')
  const key = await importKey(JSON.parse(newest.private_jwk) as JWK)
  return { current: { kid: newest.kid, key }, find: (kid) => publicKeys.get(kid) }
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
  const { value } = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return value
}
