import { jwtVerify } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import * as v from 'valibot'
import { ContactError } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { claimAt } from './required-claim.ts'
import { partyId } from './claim-mapping.ts'
import { SKEW_S, isToken, refused } from './claims.ts'
import { ExpiringMap } from './expiring-map.ts'
import { ALGORITHMS } from './provider.ts'
import type { ProviderOptions } from './provider.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** An older one is refused, and one that was taken is known for so long. */
const FRESH_S = 300

const claimsSchema = v.object({
  iat: v.number(),
  jti: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  events: v.looseObject({ [EVENT]: v.record(v.string(), v.unknown()) }),
  nonce: v.optional(v.never()),
})

/**
 * Reads logout tokens of the provider (OpenID Connect Back-Channel Logout 1.0, 2.6): gives the id of the agent
 * who has signed out there. Each is taken once.
 */
export function backChannel(
  { issuer, audience, client, mapping: { id = 'sub' } = {} }: ProviderOptions,
  clock: ServiceClock,
  keys: JWTVerifyGetKey,
): (token: string) => Promise<string> {
  const taken = new ExpiringMap<string, true>()
  return async (token) => {
    if (!isToken(token)) throw refused()
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience: client?.id ?? audience,
        clockTolerance: SKEW_S,
        currentDate: new Date(clock.now()),
        maxTokenAge: FRESH_S,
      })
      const { jti } = v.parse(claimsSchema, payload)
      taken.prune(clock.now())
      if (taken.has(jti)) throw new Error('it was taken before')
      taken.set(jti, true, clock.now() + (FRESH_S + SKEW_S) * 1_000)
      const agent = claimAt(payload, id)
      if (typeof agent !== 'string' || agent === '') throw new Error('it does not say who has signed out')
      return partyId(agent)
    } catch (cause) {
      if (cause instanceof ContactError) throw cause
      throw refused(cause)
    }
  }
}
