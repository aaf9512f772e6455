import type { IdentityOptions } from '../auth/identities.ts'
import type { RawOptions } from './flags.ts'
import { safeUrl, wrong } from './values.ts'

/** HS256 needs a key as long as its hash (RFC 7518, 3.2). */
const SECRET_LENGTH = 32

/** Null where none of its options is given. */
export function identityOptions({ one }: RawOptions): IdentityOptions | null {
  const [jwks, secret] = [one('visitor-jwks'), one('visitor-secret')]
  if (jwks === '' && secret === '') return null
  if (jwks !== '' && secret !== '') throw wrong('visitor-secret', 'left out with --visitor-jwks')
  if (jwks !== '' && !safeUrl(jwks)) throw wrong('visitor-jwks', 'an https URL')
  if (secret !== '' && secret.length < SECRET_LENGTH)
    throw wrong('visitor-secret', `at least ${SECRET_LENGTH} characters long`)
  return {
    keys: jwks === '' ? { secret } : { jwks },
    issuer: one('visitor-issuer') || null,
    audience: one('visitor-audience') || null,
  }
}
