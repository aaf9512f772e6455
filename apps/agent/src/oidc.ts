/**
 * Signing in at the organisation's identity provider: OpenID Connect, authorization code with PKCE (RFC 7636).
 * Tokens stand in memory; in the tab's storage only from the end of a page to the beginning of the next one, so
 * that a duplicated tab has none of them.
 */
import * as oauth from 'oauth4webapi'
import { codeOf } from '../../ui/src/index.ts'
import { tabStore } from './identity.ts'
import type { ProviderWay } from './sign-in-way.ts'
import { signedOut, unreachable } from './token-source.ts'
import type { TokenSource } from './token-source.ts'

/** What stands in the tab while the agent is at the provider. */
const PENDING = 'duolog-agent-sign-in'
/** Tokens, from one page of the tab to the next. */
const KEPT = 'duolog-agent-session'
/** A token is renewed this long before it expires. */
const MARGIN_MS = 60_000
/** Of a token that does not say how long it lives. */
const SHORT_LIFE_S = 300

interface Pending {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Query of the page that has sent the agent there. */
  readonly search: string
}

interface Tokens {
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expires: number
  readonly refresh?: string
  readonly id?: string
}

/** What a request to the provider needs. */
interface Provider {
  readonly way: ProviderWay
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly options: { [oauth.allowInsecureRequests]: boolean; additionalParameters: Record<string, string> }
}

/** Where the provider sends the agent back to: this page, without what differs from one visit to another. */
const pageAddress = (): string => `${location.origin}${location.pathname}`

async function providerOf(way: ProviderWay): Promise<Provider> {
  const issuer = new URL(way.issuer)
  const options = {
    // Only for tests and trials on this machine.
    [oauth.allowInsecureRequests]: ['localhost', '127.0.0.1'].includes(issuer.hostname),
    additionalParameters: { ...way.parameters },
  }
  const answer = await oauth.discoveryRequest(issuer, options).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  const server = await oauth.processDiscoveryResponse(issuer, answer)
  return { way, server, client: { client_id: way.client }, options }
}

/** Sends the agent to the provider, `asOther` to sign in there anew. The page is left. */
export async function beginSignIn(way: ProviderWay, asOther: boolean): Promise<void> {
  const { server } = await providerOf(way)
  if (server.authorization_endpoint === undefined) throw unreachable()
  const [state, nonce, verifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
    oauth.generateRandomCodeVerifier(),
  ]
  const pending: Pending = { state, nonce, verifier, search: location.search }
  tabStore.set(PENDING, JSON.stringify(pending))
  const address = new URL(server.authorization_endpoint)
  const parameters = {
    ...way.parameters,
    response_type: 'code',
    client_id: way.client,
    redirect_uri: pageAddress(),
    scope: way.scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(asOther && { prompt: [way.parameters['prompt'] ?? '', 'login'].join(' ').trim() }),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  location.assign(address)
}

/** Whether this page is where the provider has sent the agent back to. */
export const isReturn = (): boolean => {
  const given = new URLSearchParams(location.search)
  return given.has('state') && (given.has('code') || given.has('error')) && tabStore.get(PENDING) !== null
}

/** Takes what the provider has sent the agent back with; it counts once, and leaves the address of the page. */
export async function finishSignIn(way: ProviderWay): Promise<OidcSession> {
  const given = new URL(location.href)
  const { state, nonce, verifier, search } = JSON.parse(tabStore.take(PENDING) ?? '{}') as Pending
  history.replaceState(null, '', `${location.pathname}${search}`)
  const provider = await providerOf(way)
  const { server, client, options } = provider
  const parameters = oauth.validateAuthResponse(server, client, given, state)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    pageAddress(),
    verifier,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  return new OidcSession(way, tokensOf(way, tokens, {}))
}

/** The session that the page before has left in the tab; null where there is none. */
export function keptSession(way: ProviderWay): OidcSession | null {
  const kept = tabStore.take(KEPT)
  const { issuer, client, tokens } = JSON.parse(kept ?? '{}') as Partial<ProviderWay & { tokens: Tokens }>
  return tokens && issuer === way.issuer && client === way.client ? new OidcSession(way, tokens) : null
}

/** An agent who is signed in at the provider. */
export class OidcSession implements TokenSource {
  readonly #way: ProviderWay
  #tokens: Tokens | null
  #asking: Promise<string> | null = null
  readonly #over = new AbortController()

  constructor(way: ProviderWay, tokens: Tokens) {
    this.#way = way
    this.#tokens = tokens
    const { signal } = this.#over
    window.addEventListener('pagehide', () => this.#keep(), { signal })
    // The page comes back from the browser's cache, and has its tokens yet.
    window.addEventListener('pageshow', () => void tabStore.take(KEPT), { signal })
  }

  async token(refused?: string): Promise<string> {
    if (!this.#tokens) throw signedOut()
    const { token, expires, refresh } = this.#tokens
    const leftMs = expires - Date.now()
    if (token !== refused && leftMs > (refresh === undefined ? 0 : MARGIN_MS)) return token
    if (refresh === undefined) throw signedOut()
    this.#asking ??= this.#renew(refresh).finally(() => (this.#asking = null))
    return this.#asking
  }

  forget(): void {
    this.#tokens = null
    this.#over.abort()
  }

  /** Leaves the page for the provider, where that ends the agent's session there too. */
  async signOut(): Promise<void> {
    const tokens = this.#tokens
    this.forget()
    if (!tokens) return
    const { server, client, options } = await providerOf(this.#way)
    if (tokens.refresh !== undefined && server.revocation_endpoint !== undefined)
      await oauth
        .revocationRequest(server, client, oauth.None(), tokens.refresh, options)
        .catch(() => undefined)
    if (server.end_session_endpoint === undefined) return
    const address = new URL(server.end_session_endpoint)
    address.searchParams.set('client_id', this.#way.client)
    if (tokens.id !== undefined) address.searchParams.set('id_token_hint', tokens.id)
    address.searchParams.set('post_logout_redirect_uri', pageAddress())
    location.assign(address)
  }

  async #renew(refresh: string): Promise<string> {
    try {
      const { server, client, options } = await providerOf(this.#way)
      const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, options)
      const given = await oauth.processRefreshTokenResponse(server, client, answer)
      // Signed out meanwhile.
      if (!this.#tokens) throw signedOut()
      this.#tokens = tokensOf(this.#way, given, this.#tokens)
      return this.#tokens.token
    } catch (thrown) {
      if (thrown instanceof oauth.ResponseBodyError && thrown.error === 'invalid_grant')
        throw signedOut(thrown)
      throw codeOf(thrown) === 'unauthorized' ? thrown : unreachable(thrown)
    }
  }

  #keep(): void {
    const { issuer, client } = this.#way
    tabStore.set(KEPT, JSON.stringify({ issuer, client, tokens: this.#tokens }))
  }
}

/** @throws {@link ContactError} `unauthorized` — the token that the service takes is not among them */
function tokensOf(
  { token: which }: ProviderWay,
  given: oauth.TokenEndpointResponse,
  before: Partial<Tokens>,
): Tokens {
  const id = given.id_token ?? before.id
  const refresh = given.refresh_token ?? before.refresh
  const kept = { ...(id !== undefined && { id }), ...(refresh !== undefined && { refresh }) }
  if (which === 'access')
    return {
      token: given.access_token,
      expires: Date.now() + (given.expires_in ?? SHORT_LIFE_S) * 1_000,
      ...kept,
    }
  const claims = oauth.getValidatedIdTokenClaims(given)
  if (given.id_token === undefined || !claims) throw signedOut()
  return { token: given.id_token, expires: claims.exp * 1_000, ...kept }
}
