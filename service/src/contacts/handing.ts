import type { ContactRow } from '../store/tables.ts'
import type { TransferTarget } from './contact.types.ts'

/** Whom a contact is handed to, as its row holds it. */
export type Handed = Pick<ContactRow, 'only_agent' | 'handed_by' | 'handed_at' | 'tags'>

/** Whom a contact is handed to, while it is changed. */
export class Handing {
  readonly #row: Handed
  #handed: Handed

  constructor(row: Handed) {
    this.#row = row
    this.#handed = row
  }

  /** What agents are chosen by. */
  get tags(): readonly string[] {
    return this.#handed.tags
  }

  /** The contact keeps its id, and goes to somebody else. */
  handOn(by: string, { toAgent, toTags }: Omit<TransferTarget, 'toId'>, now: number): void {
    const tags = [...(toTags ?? this.tags)]
    this.#handed = { only_agent: toAgent ?? null, handed_by: by, handed_at: now, tags }
  }

  /** Anyone may have it, whoever was named. */
  free(): void {
    this.#handed = { ...this.#handed, only_agent: null }
  }

  /** An agent does not take it: where it was for that one alone, anyone may. Gives who had handed it on. */
  decline(agent: string): string | null {
    if (this.#handed.only_agent !== agent) return null
    this.free()
    return this.#handed.handed_by
  }

  /** It enters the queue: who is named for it has their time anew. */
  enter(now: number): void {
    if (this.#handed.only_agent !== null) this.#handed = { ...this.#handed, handed_at: now }
  }

  /** What is to be stored; null: it is as its row has it. */
  get changed(): Handed | null {
    return this.#handed === this.#row ? null : this.#handed
  }
}
