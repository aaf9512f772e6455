import { jwtVerify } from 'jose'
import * as v from 'valibot'
import { ContactError, LIMITS } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { partyId } from './claim-mapping.ts'
import { SKEW_S, checkLife, isToken, issueClaims, refused } from './claims.ts'
import { ALGORITHMS, shownName } from './provider.ts'
import { ProviderKeys } from './provider-keys.ts'

/** Who signs the identities of visitors: the site's own back end. */
export interface IdentityOptions {
  /** Where its public keys are, or the secret that it shares with the service (HS256). */
  readonly keys: { readonly jwks: string } | { readonly secret: string }
  /** `iss` and `aud` of its tokens; null: they are not looked at. */
  readonly issuer: string | null
  readonly audience: string | null
}

/** A visitor as the site knows them. */
export interface Identity {
  /** Never that of an anonymous visitor, nor of an agent. */
  readonly id: string
  readonly nick: string | null
  /** When it was said, milliseconds. */
  readonly issued: number
  readonly jti: string | null
}

/** Begins the ids of identified visitors: those of others begin with `v-`. */
export const IDENTIFIED = 'i-'

const claimsSchema = v.object({
  ...issueClaims,
  sub: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.url)),
  iat: v.pipe(v.number(), v.minValue(1)),
  exp: v.number(),
  name: v.optional(v.string()),
  nick: v.optional(v.string()),
})

/**
 * Reads the identities that a site gives to its pages. None lives longer than its revocation is kept.
 * @throws {@link ContactError} `unauthorized`, `offline`
 */
export function identityCheck(
  { keys, issuer, audience }: IdentityOptions,
  clock: ServiceClock,
): (token: string) => Promise<Identity> {
  const published = 'jwks' in keys ? new ProviderKeys(keys.jwks, clock) : null
  const secret = new TextEncoder().encode('secret' in keys ? keys.secret : '')
  return async (token) => {
    if (!isToken(token)) throw refused()
    try {
      const rules = {
        algorithms: published ? ALGORITHMS : ['HS256'],
        ...(issuer !== null && { issuer }),
        ...(audience !== null && { audience }),
        clockTolerance: SKEW_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'iat', 'sub'],
      }
      const { payload } = published
        ? await jwtVerify(token, published.find, rules)
        : await jwtVerify(token, secret, rules)
      const { sub, iat, exp, jti, name, nick } = v.parse(claimsSchema, payload)
      if (iat > clock.now() / 1_000 + SKEW_S) throw new Error('it is of a time to come')
      checkLife({ iat, exp }, clock.now(), 'site')
      return {
        id: identifiedId(sub),
        nick: shownName(nick) || shownName(name) || null,
        issued: iat * 1_000,
        jti,
      }
    } catch (cause) {
      if (cause instanceof ContactError) throw cause
      throw refused(cause)
    }
  }
}

const identifiedId = (sub: string): string => partyId(sub, { prefix: IDENTIFIED, digested: `|${sub}` })
