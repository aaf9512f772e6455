import type { Avatar } from 'duolog'
import { within } from '../../ui/src/index.ts'

/** An agent who has signed in, as kept for reloads of this tab. */
export interface Identity {
  readonly token: string
  readonly agent: {
    readonly id: string
    readonly nick: string
    readonly avatar?: Avatar
    readonly rights?: readonly string[]
  }
}

const KEY = 'duolog-agent'
const READY_KEY = 'duolog-agent-ready'
const SIGN_IN_LIMIT_MS = 10_000

/**
 * Signs in for local use. In production this route does not exist: tokens come from the organisation's
 * identity provider.
 */
export async function signInLocally(service: string, nick: string): Promise<Identity> {
  return within(SIGN_IN_LIMIT_MS, async (signal) => {
    const response = await fetch(new URL('/v1/dev/agents', service), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nick }),
      signal,
    })
    const answer: unknown = response.ok ? await response.json() : null
    if (!isIdentity(answer)) throw new Error(`unable to sign in; the service answered ${response.status}`)
    return answer
  })
}

function isIdentity(value: unknown): value is Identity {
  if (typeof value !== 'object' || value === null || !('token' in value) || !('agent' in value)) return false
  const { token, agent } = value
  return (
    typeof token === 'string' &&
    typeof agent === 'object' &&
    agent !== null &&
    'nick' in agent &&
    typeof agent.nick === 'string'
  )
}

export function keptIdentity(): Identity | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return isIdentity(found) ? found : null
  } catch {
    return null
  }
}

export const keepIdentity = (identity: Identity | null): void =>
  keep(KEY, identity && JSON.stringify(identity))

/** Whether the agent was ready before the page was loaded. */
export function wasReady(): boolean {
  try {
    return sessionStorage.getItem(READY_KEY) === 'yes'
  } catch {
    return false
  }
}

export const keepReady = (isReady: boolean): void => keep(READY_KEY, isReady ? 'yes' : null)

/** The storage of the tab; one that is blocked holds nothing. */
export const tabStore = {
  get(key: string): string | null {
    try {
      return sessionStorage.getItem(key)
    } catch {
      return null
    }
  },
  /** Gives a value and forgets it. */
  take(key: string): string | null {
    const value = this.get(key)
    keep(key, null)
    return value
  },
  set(key: string, value: string): void {
    keep(key, value)
  },
}

function keep(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, value)
  } catch {
    // Storage is blocked: a reload asks again.
  }
}
