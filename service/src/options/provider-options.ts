import type { ProviderOptions } from '../auth/provider.ts'
import { readClaim } from '../auth/required-claim.ts'
import type { RequiredClaim } from '../auth/required-claim.ts'
import type { RawOptions } from './flags.ts'
import { fail, wrong } from './values.ts'

/** Null where none of its options is given. */
export function providerOptions({ one }: RawOptions): ProviderOptions | null {
  const [jwks, issuer, audience] = [one('agent-jwks'), one('agent-issuer'), one('agent-audience')]
  if (jwks === '' && issuer === '' && audience === '') return null
  if (!/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(jwks))
    throw wrong('agent-jwks', 'an https URL')
  if (issuer === '') throw wrong('agent-issuer', "the issuer of the agents' tokens")
  if (audience === '') throw wrong('agent-audience', "the audience of the agents' tokens")
  return { jwks, issuer, audience, claim: claim(one('agent-claim')) }
}

const claim = (text: string): RequiredClaim | null =>
  text === 'any'
    ? null
    : (readClaim(text) ??
      fail(wrong('agent-claim', 'such as roles=agent or realm_access.roles=agent, or any')))
