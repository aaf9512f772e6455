import type { ContactRow } from '../store/tables.ts'
import type { TransferTarget } from './contact.types.ts'

/** The columns of a contact's row that say which agents may be offered it. */
export type RoutingColumns = Pick<ContactRow, 'only_agent' | 'handed_by' | 'handed_at' | 'tags'>

/** Which agents a contact may be offered to, while the contact is changed. */
export class ContactRouting {
  readonly #row: RoutingColumns
  #columns: RoutingColumns

  constructor(row: RoutingColumns) {
    this.#row = row
    this.#columns = row
  }

  /** The tags that an agent must have. */
  get tags(): readonly string[] {
    return this.#columns.tags
  }

  /** Transfers the contact to another agent or to other tags. Its id stays. */
  routeTo(by: string, { toAgent, toTags }: Omit<TransferTarget, 'toId'>, now: number): void {
    const tags = [...(toTags ?? this.tags)]
    this.#columns = { only_agent: toAgent ?? null, handed_by: by, handed_at: now, tags }
  }

  /** Lets every agent have it, also where one was named. */
  free(): void {
    this.#columns = { ...this.#columns, only_agent: null }
  }

  /**
   * The agent declines. Where the contact was for this agent alone, it is now for all. Returns who had
   * transferred it.
   */
  decline(agent: string): string | null {
    if (this.#columns.only_agent !== agent) return null
    this.free()
    return this.#columns.handed_by
  }

  /** The contact enters the queue. The time of the agent who is named starts again. */
  enter(now: number): void {
    if (this.#columns.only_agent !== null) this.#columns = { ...this.#columns, handed_at: now }
  }

  /** The columns to store. Null: nothing has changed. */
  get changed(): RoutingColumns | null {
    return this.#columns === this.#row ? null : this.#columns
  }
}
