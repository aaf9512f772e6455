import type { SessionElsewhere } from '../contacts/index.ts'

interface Heard {
  readonly session: SessionElsewhere
  readonly isHere: boolean
}

interface Opening {
  count: number
  head: number
  heard: readonly Heard[]
}

/** Of one contact while it is being opened. The poll finds what was heard before. */
const HEARD_LIMIT = 64

/** What is heard of contacts while they are being opened. */
export class Openings {
  readonly #openings = new Map<string, Opening>()

  /** Returns what ends the opening and gives what was heard during it. */
  begin(id: string): () => Pick<Opening, 'head' | 'heard'> {
    const opening = this.#openings.get(id) ?? { count: 0, head: 0, heard: [] }
    opening.count += 1
    this.#openings.set(id, opening)
    return () => {
      opening.count -= 1
      if (opening.count === 0) this.#openings.delete(id)
      return opening
    }
  }

  /** The log has at least so many entries. */
  reach(id: string, head: number): void {
    const opening = this.#openings.get(id)
    if (opening) opening.head = Math.max(opening.head, head)
  }

  /** A session has a connection elsewhere, or has lost it. */
  hear(id: string, heard: Heard): void {
    const opening = this.#openings.get(id)
    if (opening) opening.heard = [...opening.heard, heard].slice(-HEARD_LIMIT)
  }
}
