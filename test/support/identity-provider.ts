/** A real OpenID Connect provider on this machine, where people sign in by their name. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Provider } from 'oidc-provider'
import type { Configuration } from 'oidc-provider'

/** What the service checks tokens for. */
export const AUDIENCE = 'https://contact.test'
const CLIENT = 'console'

export interface IdentityProvider {
  readonly issuer: string
  /** What the service is started with. */
  readonly options: readonly string[]
  /** Access tokens that were given, in order. */
  readonly given: readonly string[]
  close(): Promise<void>
}

/** Claims of the people who can sign in; who is not among them is no agent. */
const PEOPLE: Readonly<Record<string, object>> = {
  ada: { name: 'Ada Lovelace', roles: ['agent'], skills: ['bills', 'Italiano'] },
  eve: { name: 'Eve', roles: ['customer'] },
}

interface Given {
  readonly port: number
  /** Address of the console. */
  readonly console: string
  /** How long an access token lives. */
  readonly lifeSeconds?: number
  /** Its public address, where a proxy with TLS stands in front (default: this machine's). */
  readonly issuer?: string
}

/** The options of a service whose agents sign in at a provider on `port`. */
export const providerOptions = (port: number): readonly string[] => {
  const issuer = `http://127.0.0.1:${port}`
  return [
    ...['--agent-issuer', issuer, '--agent-jwks', `${issuer}/jwks`, '--agent-audience', AUDIENCE],
    ...['--agent-client', CLIENT, '--agent-parameter', `resource=${AUDIENCE}`],
    ...['--agent-map', 'tags=skills'],
  ]
}

const configuration = ({ console: page, lifeSeconds = 600 }: Given): Configuration => ({
  clients: [
    {
      client_id: CLIENT,
      redirect_uris: [page],
      post_logout_redirect_uris: [page],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...{ backchannel_logout_uri: new URL('/v1/agents/logout', page).href },
    },
  ],
  cookies: { keys: ['for tests'] },
  pkce: { required: () => true },
  clientBasedCORS: () => true,
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...PEOPLE[id] }) }),
  extraTokenClaims: (_context, token) => ('accountId' in token ? { ...PEOPLE[token.accountId] } : undefined),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
  // Nobody is asked whether the console may know them.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client?.clientId,
      accountId: oidc.session?.accountId,
    })
    grant.addOIDCScope('openid profile offline_access')
    grant.addResourceScope(AUDIENCE, 'contact')
    await grant.save()
    return grant
  },
  features: {
    devInteractions: { enabled: false },
    revocation: { enabled: true },
    backchannelLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: 'contact',
        audience: AUDIENCE,
        accessTokenFormat: 'jwt',
        accessTokenTTL: lifeSeconds,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
})

const PAGE = (action: string): string => `<!doctype html><title>Sign in</title>
<form method="post" action="${action}"><label>Name <input name="login" autofocus></label><button>Sign in</button></form>`

/** Starts a provider; close it in `afterAll`. */
export async function startIdentityProvider(given: Given): Promise<IdentityProvider> {
  const issuer = given.issuer ?? `http://127.0.0.1:${given.port}`
  const provider = new Provider(issuer, configuration(given))
  provider.proxy = given.issuer !== undefined
  const tokens: string[] = []
  provider.on('access_token.issued', (token) => void tokens.push(token.jti))
  const handle = provider.callback()
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE(request.url ?? ''))
      return
    }
    const accountId = new URLSearchParams(await text(request)).get('login') ?? ''
    await provider.interactionFinished(request, response, { login: { accountId } })
  }
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(request, response)
    else void handle(request, response)
  })
  await new Promise<void>((settle) => server.listen(given.port, '127.0.0.1', settle))
  return {
    issuer,
    options: providerOptions(given.port),
    given: tokens,
    close: async () => {
      server.closeAllConnections()
      await new Promise((settle) => server.close(settle))
    },
  }
}
