import type { Entry, Slot } from '../../../protocol/index.ts'

/** Who a channel belongs to. */
export interface Part {
  readonly slot: Slot
  readonly principal: string
  readonly session: string
}

/**
 * What an entry does to the part that a party has in a contact: `over` ends it with this entry, `ending` with
 * the next one, but for the end of the contact.
 */
export type PartChange = 'none' | 'ending' | 'over'

/**
 * Decides, for every entry, whether a party that had a part in the contact before goes on having it. A
 * channel lives only so long.
 */
export function partAfter({ slot, principal, session }: Part, entry: Entry): PartChange {
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

/** Follows a party's part over the entries of a log. Each may be shown more than once. */
export class PartWatch {
  readonly #part: Part
  readonly #since: number
  #endingAt = Number.POSITIVE_INFINITY
  /** The last entry that the party may have. */
  end = Number.POSITIVE_INFINITY

  /** `since`: the entry up to which the party is known to have its part. */
  constructor(part: Part, since: number) {
    this.#part = part
    this.#since = since
  }

  /** Whether nothing has been seen that takes the part away. */
  get isWhole(): boolean {
    return this.end === Number.POSITIVE_INFINITY && this.#endingAt === Number.POSITIVE_INFINITY
  }

  look(entries: readonly Entry[]): void {
    for (const entry of entries) if (entry.seq > this.#since) this.#judge(entry)
  }

  #judge(entry: Entry): void {
    const change = partAfter(this.#part, entry)
    if (change === 'over') this.end = Math.min(this.end, entry.seq)
    else if (entry.seq > this.#endingAt) this.end = Math.min(this.end, entry.seq - 1)
    if (change === 'ending') this.#endingAt = Math.min(this.#endingAt, entry.seq)
  }
}
