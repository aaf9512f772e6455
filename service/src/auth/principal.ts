import type { Avatar } from '../../../protocol/index.ts'

/** Whom a token speaks for. */
export type Principal = VisitorPrincipal | AgentPrincipal

export interface VisitorPrincipal {
  readonly use: 'visitor'
  readonly id: string
  /** The page's origin that the token was given to. */
  readonly origin: string
  readonly expires: number
}

export interface AgentPrincipal {
  readonly use: 'agent'
  readonly id: string
  readonly nick: string
  readonly tags: readonly string[]
  readonly avatar: Avatar | null
  /** What this agent may do beyond others: `join:force`, to take a contact that was not offered. */
  readonly rights: readonly string[]
  readonly expires: number
}
