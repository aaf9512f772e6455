import { decodeProtectedHeader, jwtVerify } from 'jose'
import * as v from 'valibot'
import { ContactError, LIMITS } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import {
  NoAgentError,
  SKEW_S,
  avatarSchema,
  checkLife,
  idSchema,
  isToken,
  issueClaims,
  refused,
  rightsSchema,
  tagSchema,
} from './claims.ts'
import { mapClaims } from './claim-mapping.ts'
import type { ClaimMapping } from './claim-mapping.ts'
import type { AgentPrincipal, Principal } from './principal.ts'
import { ProviderKeys } from './provider-keys.ts'
import { hasClaim } from './required-claim.ts'
import type { RequiredClaim } from './required-claim.ts'
import type { CheckToken } from './tokens.ts'

/** The organisation's identity provider, which issues the agents' tokens. */
export interface ProviderOptions {
  /** Where its public keys are. */
  readonly jwks: string
  readonly issuer: string
  readonly audience: string
  /** What makes the party of a token an agent; without it, every token of issuer and audience does. */
  readonly claim?: RequiredClaim | null
  /** Which claims say who an agent is. */
  readonly mapping?: ClaimMapping
  /** How the console signs in; null: its tokens come from an embedding page. */
  readonly client?: SignInClient | null
}

/** The console as the provider knows it. */
export interface SignInClient {
  readonly id: string
  readonly scope: string
  /** Parameters of the request beyond those of OpenID Connect, such as `audience` or `resource` (RFC 8707). */
  readonly parameters: Readonly<Record<string, string>>
}

/** Asymmetric only: a public key can never pass for a shared secret. */
export const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'PS256', 'RS256']

const claimsSchema = v.object({
  sub: idSchema,
  exp: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  nick: v.optional(v.string()),
  name: v.optional(v.string()),
  tags: v.optional(v.array(tagSchema), []),
  avatar: v.optional(v.nullable(avatarSchema), null),
  rights: rightsSchema,
  ...issueClaims,
})

/** Checks agents' tokens against the provider's keys, which are fetched and kept as needed. */
export function providerCheck(
  { jwks, issuer, audience, claim = null, mapping = {} }: ProviderOptions,
  clock: ServiceClock,
  keys: ProviderKeys = new ProviderKeys(jwks, clock),
): (token: string) => Promise<AgentPrincipal> {
  return async (token) => {
    if (!isToken(token)) throw refused()
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        clockTolerance: SKEW_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'sub'],
      })
      if ('events' in payload) throw new Error('it is a logout token')
      if (claim && !hasClaim(payload, claim)) throw new NoAgentError()
      return agentOf(mapClaims(payload, mapping), clock.now())
    } catch (cause) {
      if (cause instanceof ContactError) throw cause
      throw refused(cause)
    }
  }
}

/** Whom the claims name. @throws where they are no agent's, or of no time that a revocation reaches */
function agentOf(claims: Readonly<Record<string, unknown>>, now: number): AgentPrincipal {
  const { sub, exp, iat, jti, nick, name, tags, avatar, rights } = v.parse(claimsSchema, claims)
  if (iat > now / 1_000 + SKEW_S) throw new Error('it is of a time to come, which no revocation reaches')
  checkLife({ iat, exp }, now, 'provider')
  return {
    use: 'agent',
    id: sub,
    nick: shownName(nick) || shownName(name) || sub.slice(0, LIMITS.nick),
    tags,
    avatar,
    rights,
    issued: iat * 1_000,
    jti,
    kid: null,
    expires: exp * 1_000,
  }
}

/** A name of the provider's, within what the protocol allows. */
export const shownName = (name = ''): string =>
  name
    .slice(0, LIMITS.nick)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()

/**
 * Visitors come with the service's tokens. Agents come with the provider's where there is one: then those of
 * the service are for development only, and refused.
 */
export function checkWith(
  own: { readonly check: CheckToken; readonly type: string },
  provider: ((token: string) => Promise<AgentPrincipal>) | null,
): CheckToken {
  return async (token): Promise<Principal> => {
    if (provider && typeOf(token) !== own.type) return provider(token)
    const principal = await own.check(token)
    if (provider && principal.use === 'agent') throw refused()
    return principal
  }
}

function typeOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).typ
  } catch {
    return undefined
  }
}
