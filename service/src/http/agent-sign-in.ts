/** How the console's agents sign in, who they are, and how their sign-in ends. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as v from 'valibot'
import { ContactError } from '../../../protocol/index.ts'
import { NoAgentError } from '../auth/claims.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { ProviderOptions } from '../auth/provider.ts'
import type { Revoked } from '../auth/revocations.ts'
import type { CheckToken } from '../auth/tokens.ts'
import { networkOf } from '../limits/client-address.ts'
import type { RateLimits } from '../limits/rate-limits.ts'

export interface AgentSignInParts {
  readonly provider: ProviderOptions | null
  readonly consoleParents: readonly string[]
  readonly local: boolean
  readonly rates: RateLimits
  readonly checkToken: CheckToken
  readonly revoke: (revoked: Revoked) => Promise<void>
  /** Reads a logout token of the provider; null where there is no provider. */
  readonly loggedOut: ((token: string) => Promise<string>) | null
}

const logoutSchema = v.object({ logout_token: v.pipe(v.string(), v.minLength(1)) })

/** What a console needs to know before anybody has signed in: nothing of it is secret. */
function signInWay({ provider, consoleParents: parents, local }: AgentSignInParts) {
  if (provider?.client) {
    const { id, scope, parameters } = provider.client
    const token = provider.audience === id ? 'id' : 'access'
    return { way: 'oidc', issuer: provider.issuer, client: id, scope, parameters, token, parents }
  }
  return { way: provider === null && local ? 'nick' : 'token', parents }
}

/** Routes under `/v1/agents`. */
export function agentSignInRoutes(app: FastifyInstance, parts: AgentSignInParts): void {
  const { revoke, loggedOut } = parts
  app.get('/agents/sign-in', async () => signInWay(parts))
  app.get('/agents/me', (request) => agentOf(parts, request).then(shown))
  app.post('/agents/sign-out', async (request, reply) => {
    const { jti } = await agentOf(parts, request)
    if (!jti)
      throw new ContactError(
        'invalid_argument',
        'unable to sign the agent out; the token has no `jti`, by which it could be voided',
      )
    await revoke({ use: 'token', id: jti })
    return reply.status(204).send()
  })
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    )
    scope.post('/agents/logout', async (request, reply) => {
      if (!loggedOut)
        throw new ContactError('not_found', 'unable to sign the agent out; there is no identity provider')
      const given = v.safeParse(logoutSchema, request.body)
      if (!given.success)
        throw new ContactError('invalid_argument', 'unable to sign the agent out; logout_token is missing')
      const token = given.output.logout_token
      await revoke({ use: 'agent', id: await countFailures(parts, request, () => loggedOut(token)) })
      return reply.header('cache-control', 'no-store').status(204).send()
    })
  })
}

const shown = ({ id, nick, tags, rights, avatar }: AgentPrincipal) => ({
  ...{ id, nick, tags, rights },
  ...(avatar && { avatar }),
})

/** @throws {@link ContactError} `unauthorized`; `forbidden`: it is not an agent's; `rate_limited` */
export async function agentOf(parts: AgentSignInParts, request: FastifyRequest): Promise<AgentPrincipal> {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const principal = await countFailures(parts, request, () => parts.checkToken(token)).catch(
    (thrown: unknown) => {
      if (thrown instanceof NoAgentError) return null
      throw thrown
    },
  )
  if (principal?.use === 'agent') return principal
  throw new ContactError('forbidden', 'unable to answer the request; the token is not an agent’s')
}

/**
 * Counts failures by address, and refuses them where there are too many. What is valid is never refused for them,
 * because many parties may share an address: a back end is one address.
 */
export async function countFailures<T>(
  { rates }: Pick<AgentSignInParts, 'rates'>,
  { ip }: FastifyRequest,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check()
  } catch (thrown) {
    if (thrown instanceof ContactError && thrown.code === 'unauthorized')
      rates.take('failedSignIns', networkOf(ip))
    throw thrown
  }
}
