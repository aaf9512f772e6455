import { MAPPED, readMapping } from '../auth/claim-mapping.ts'
import type { ClaimMapping } from '../auth/claim-mapping.ts'
import type { ProviderOptions, SignInClient } from '../auth/provider.ts'
import { readClaim } from '../auth/required-claim.ts'
import type { RequiredClaim } from '../auth/required-claim.ts'
import type { RawOptions } from './flags.ts'
import { fail, safeUrl, wrong } from './values.ts'

/** Null where none of its options is given. */
export function providerOptions(given: RawOptions): ProviderOptions | null {
  const { one } = given
  const [jwks, issuer, audience] = [one('agent-jwks'), one('agent-issuer'), one('agent-audience')]
  if (jwks === '') return null
  if (!safeUrl(jwks)) throw wrong('agent-jwks', 'an https URL')
  return {
    ...{ jwks, issuer, audience, claim: claim(one('agent-claim')) },
    mapping: mapping(given.all('agent-map')),
    client: client(given),
  }
}

const claim = (text: string): RequiredClaim | null =>
  text === 'any'
    ? null
    : (readClaim(text) ??
      fail(wrong('agent-claim', 'such as roles=agent or realm_access.roles=agent, or any')))

const mapping = (texts: readonly string[]): ClaimMapping =>
  Object.fromEntries(
    texts.map(
      (text) =>
        readMapping(text) ??
        fail(wrong('agent-map', `such as nick=preferred_username, of ${MAPPED.join(', ')}`)),
    ),
  )

function client({ one, all }: RawOptions): SignInClient | null {
  const id = one('agent-client')
  if (id === '') return null
  // The console reads the provider's addresses below it.
  if (!safeUrl(one('agent-issuer'))) throw wrong('agent-issuer', 'an https URL with --agent-client')
  const parameters = Object.fromEntries(
    all('agent-parameter').map((text) => {
      const [, name, value] = /^([\w.-]+)=(.+)$/.exec(text) ?? []
      if (name === undefined || value === undefined)
        throw wrong('agent-parameter', 'such as audience=https://contact.example.com')
      return [name, value]
    }),
  )
  return { id, scope: one('agent-scope'), parameters }
}
