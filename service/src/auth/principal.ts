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
  readonly expires: number
}
