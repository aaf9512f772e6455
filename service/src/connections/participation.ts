import type { Entry, Slot } from '../../../protocol/index.ts'

/** The party that a channel belongs to. */
export interface Participant {
  readonly slot: Slot
  readonly principal: string
  readonly session: string
}

/**
 * What an entry does to the participation of a party in a contact. `over`: it ends with this entry. `ending`:
 * it ends with the next entry, unless that is the end of the contact.
 */
export type ParticipationChange = 'none' | 'ending' | 'over'

/**
 * Decides for each entry whether a party still participates in the contact. Its channel is closed when it
 * does not.
 */
export function participationAfter(
  { slot, principal, session }: Participant,
  entry: Entry,
): ParticipationChange {
  switch (entry.type) {
    case 'cleared':
    case 'transferred':
      return 'over'
    case 'declined':
      return slot === 'agent' && entry.body.user === principal ? 'over' : 'none'
    case 'left':
      return entry.body.session === session ? 'ending' : 'none'
    default:
      return 'none'
  }
}

/** Follows the participation of a party over the entries of a log. It may see an entry more than once. */
export class ParticipationTracker {
  readonly #participant: Participant
  readonly #since: number
  #endingAt = Number.POSITIVE_INFINITY
  /** The last entry that the party may have. */
  end = Number.POSITIVE_INFINITY

  /** `since`: the entry up to which the party is known to participate. */
  constructor(participant: Participant, since: number) {
    this.#participant = participant
    this.#since = since
  }

  /** Whether no entry so far ends the participation. */
  get isUnbroken(): boolean {
    return this.end === Number.POSITIVE_INFINITY && this.#endingAt === Number.POSITIVE_INFINITY
  }

  observe(entries: readonly Entry[]): void {
    for (const entry of entries) if (entry.seq > this.#since) this.#apply(entry)
  }

  #apply(entry: Entry): void {
    const change = participationAfter(this.#participant, entry)
    if (change === 'over') this.end = Math.min(this.end, entry.seq)
    else if (entry.seq > this.#endingAt) this.end = Math.min(this.end, entry.seq - 1)
    if (change === 'ending') this.#endingAt = Math.min(this.#endingAt, entry.seq)
  }
}
