import { randomUUID } from 'node:crypto'
import { SignJWT, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import * as v from 'valibot'
import { LIMITS } from '../../../protocol/index.ts'
import type { Avatar } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { SKEW_S, avatarSchema, idSchema, isToken, issueClaims, refused, rightsSchema } from './claims.ts'
import type { SigningKeys } from './keys.ts'
import type { Principal } from './principal.ts'

export const VISITOR_TOKEN_MS = 15 * 60_000
export const AGENT_TOKEN_MS = 12 * 3_600_000
const ISSUER = 'duolog-service'
const AUDIENCE = 'duolog'
export const TOKEN_TYPE = 'duolog+jwt'

const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const claimsSchema = v.variant('use', [
  v.object({
    use: v.literal('visitor'),
    sub: idSchema,
    origin: v.string(),
    nick: v.optional(v.string()),
    exp: time,
    ...issueClaims,
  }),
  v.object({
    use: v.literal('agent'),
    sub: idSchema,
    nick: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nick)),
    tags: v.array(v.string()),
    avatar: v.nullable(avatarSchema),
    rights: rightsSchema,
    exp: time,
    ...issueClaims,
  }),
])

export interface AgentIdentity {
  readonly id: string
  readonly nick: string
  readonly tags: readonly string[]
  readonly avatar: Avatar | null
  readonly rights?: readonly string[]
}

/** Checks a token that a connection brings. */
export type CheckToken = (token: string) => Promise<Principal>

/** Tokens that the service issues itself. */
export class Tokens {
  readonly #keys: SigningKeys
  readonly #clock: ServiceClock

  constructor(keys: SigningKeys, clock: ServiceClock) {
    this.#keys = keys
    this.#clock = clock
  }

  /** `at`: when the visitor was known to be signed in. What is revoked from then on covers the token. */
  issueVisitor(
    { visitor, origin, nick = null }: { visitor: string; origin: string; nick?: string | null },
    at: number,
  ): Promise<string> {
    const claims = { use: 'visitor', origin, ...(nick !== null && { nick }) }
    return this.#sign(visitor, claims, { at, lifeMs: VISITOR_TOKEN_MS })
  }

  issueAgent({ id: agent, nick, tags, avatar: picture, rights = [] }: AgentIdentity): Promise<string> {
    return this.#sign(
      agent,
      // By it the agent signs out.
      { use: 'agent', nick, tags, avatar: picture, rights, jti: randomUUID() },
      {
        at: this.#clock.now(),
        lifeMs: AGENT_TOKEN_MS,
      },
    )
  }

  /**
   * Whom the token speaks for.
   *
   * @throws {@link ContactError} `unauthorized`
   */
  async check(token: string): Promise<Principal> {
    if (!isToken(token)) throw refused()
    try {
      const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => this.#keyOf(kid), {
        algorithms: ['EdDSA'],
        issuer: ISSUER,
        audience: AUDIENCE,
        typ: TOKEN_TYPE,
        clockTolerance: SKEW_S,
        currentDate: new Date(this.#clock.now()),
        requiredClaims: ['exp', 'iat', 'sub', 'use'],
      })
      return principalOf(payload, protectedHeader.kid ?? null)
    } catch (cause) {
      throw refused(cause)
    }
  }

  async #keyOf(kid: string | undefined) {
    const key = kid === undefined ? undefined : await this.#keys.findAgain(kid)
    if (!key) throw new Error('the key is unknown')
    return key
  }

  #sign(
    subject: string,
    claims: JWTPayload,
    { at, lifeMs }: { readonly at: number; readonly lifeMs: number },
  ): Promise<string> {
    const now = at / 1_000
    const { kid, key } = this.#keys.current
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: TOKEN_TYPE })
      .setSubject(subject)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(Math.floor(now) + lifeMs / 1_000)
      .sign(key)
  }
}

function principalOf(payload: JWTPayload, kid: string | null): Principal {
  const { sub, exp, iat, jti, ...claims } = v.parse(claimsSchema, payload)
  const issue = { issued: Math.round(iat * 1_000), jti, kid, expires: exp * 1_000 }
  if (claims.use === 'visitor') {
    const { origin, nick } = claims
    return { use: 'visitor', id: sub, origin, ...(nick !== undefined && { nick }), ...issue }
  }
  return {
    use: 'agent',
    id: sub,
    nick: claims.nick,
    tags: claims.tags,
    avatar: claims.avatar,
    rights: claims.rights,
    ...issue,
  }
}
