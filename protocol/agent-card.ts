/** The agent as a contact shows them. */
import * as v from './checks.ts'
import { LIMITS } from './limits.ts'
import { nameSchema, shown } from './value-schema.ts'

/** An agent's picture in several sizes. */
export interface Avatar {
  readonly base_url: string
  /** `file` is appended to `base_url`. */
  readonly images: readonly { readonly size: string; readonly file: string }[]
}

/** The agent as a contact shows them. */
export interface AgentCard {
  readonly user: string
  readonly nick: string
  readonly avatar?: Avatar
}

/** What a visitor is told of an agent. */
export const agentCard: v.GenericSchema<unknown, AgentCard> = v.object({
  user: nameSchema,
  nick: shown(LIMITS.nick),
  avatar: v.exactOptional(
    v.object({
      base_url: v.pipe(v.string(), v.maxLength(LIMITS.url)),
      images: v.array(v.object({ size: v.string(), file: v.string() })),
    }),
  ),
})
