import type { AgentCard, Avatar, Slot } from '../protocol/index.ts'

/** Who acts: a party with its id and name. */
export interface Party {
  readonly slot: Slot
  readonly id: string
  readonly nick?: string
  readonly avatar?: Avatar
}

/** A party as an agent is shown. */
export const cardOf = ({ id, nick, avatar }: Party): AgentCard => ({
  user: id,
  nick: nick ?? id,
  ...(avatar && { avatar }),
})

/** Whom a contact is handed to; anyone, without either. */
export interface TransferTo {
  readonly toAgent?: string
  readonly toTags?: readonly string[]
}
