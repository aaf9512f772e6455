/** What the service says of signing in, and of the agent who has signed in. */
import { within } from '../../ui/src/index.ts'
import type { Identity } from './identity.ts'
import { noAgent, signedOut, unreachable } from './token-source.ts'

const LIMIT_MS = 10_000

/** At the organisation's identity provider. */
export interface ProviderWay {
  readonly way: 'oidc'
  readonly issuer: string
  readonly client: string
  readonly scope: string
  readonly parameters: Readonly<Record<string, string>>
  /** Which of its tokens the service takes. */
  readonly token: 'access' | 'id'
}

/** How agents sign in. */
export type SignInWay = (ProviderWay | { readonly way: 'nick' | 'token' }) & {
  /** Origins of pages that may give this one the agent's token. */
  readonly parents: readonly string[]
}

/** @throws {@link ContactError} `offline` */
export async function signInWay(service: string): Promise<SignInWay> {
  const found = (await answerOf(service, 'sign-in', {})) as Partial<SignInWay> | null
  if (found?.way === 'oidc' || found?.way === 'nick' || found?.way === 'token')
    return { ...found, parents: found.parents ?? [] } as SignInWay
  throw unreachable()
}

/** The agent whose token it is. @throws {@link ContactError} `unauthorized`; `forbidden`: it is no agent's; `offline` */
export async function agentOf(service: string, token: string): Promise<Identity['agent']> {
  const found = (await answerOf(service, 'me', { authorization: `Bearer ${token}` })) as Identity['agent']
  if (typeof found?.id === 'string' && typeof found.nick === 'string') return found
  throw unreachable()
}

/** Voids a token, where the service can name it. */
export const endToken = async (service: string, token: string): Promise<void> => {
  await within(LIMIT_MS, (signal) =>
    fetch(new URL('/v1/agents/sign-out', service), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal,
      keepalive: true,
    }),
  ).catch(() => undefined)
}

async function answerOf(
  service: string,
  what: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const answer = await within(LIMIT_MS, async (signal) => {
    const response = await fetch(new URL(`/v1/agents/${what}`, service), { headers, signal })
    return { status: response.status, body: response.ok ? ((await response.json()) as unknown) : null }
  }).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (answer.status === 403) throw noAgent()
  if (answer.status === 401) throw signedOut()
  return answer.body
}
