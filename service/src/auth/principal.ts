import type { Avatar } from '../../../protocol/index.ts'

/** Whom a token speaks for. */
export type Principal = VisitorPrincipal | AgentPrincipal

interface Issued {
  /** When the token was issued; 0 where it does not say so. */
  readonly issued: number
  /** The token's own id (RFC 7519, 4.1.7). */
  readonly jti: string | null
  /** The key of the service that has signed it; null: it is the provider's. */
  readonly kid: string | null
  readonly expires: number
}

export interface VisitorPrincipal extends Issued {
  readonly use: 'visitor'
  readonly id: string
  /** The name that the site vouches for. */
  readonly nick?: string
  /** The page's origin that the token was given to. */
  readonly origin: string
}

export interface AgentPrincipal extends Issued {
  readonly use: 'agent'
  readonly id: string
  readonly nick: string
  readonly tags: readonly string[]
  readonly avatar: Avatar | null
  /** What this agent may do beyond others: `join:force`, to take a contact that was not offered. */
  readonly rights: readonly string[]
}
