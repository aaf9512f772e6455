import type { Entry } from '../../../protocol/index.ts'
import type { HintResult } from '../bus/bus.ts'
import type { HintBody } from './hint-kinds.ts'

type Item = HintBody<'appended'>['contacts'][number]
type Tell = (node: string, items: readonly Item[]) => HintResult

/** From one message to a node to the next. */
const GATHER_MS = 1

/**
 * Tells other nodes of new entries. What one turn of the event loop stores is one message for each node,
 * however many contacts it is of; what is stored within a millisecond after a message is the next one. So an
 * entry waits only where others have just been sent, and a busy node seals and sends few messages.
 */
export class AppendedHints {
  readonly #tell: Tell
  readonly #later: (run: () => void, delayMs: number) => void
  readonly #items = new Map<string, Item[]>()
  /** What is added is sent at the end of this turn, or of the pause after a message. */
  #isWaiting = false

  constructor(tell: Tell, later: (run: () => void, delayMs: number) => void = afterwards) {
    this.#tell = tell
    this.#later = later
  }

  /** The entries of a contact, in order, and the other nodes that have it open. */
  add(contact: string, entries: readonly Entry[], nodes: readonly string[]): void {
    if (!this.#isWaiting && nodes.length > 0) {
      this.#isWaiting = true
      queueMicrotask(() => this.#flush())
    }
    for (const node of nodes) {
      const item = { contact, entries: [...entries] }
      const items = this.#items.get(node)
      if (items) items.push(item)
      else this.#items.set(node, [item])
    }
  }

  #flush(): void {
    const all = [...this.#items]
    this.#items.clear()
    this.#isWaiting = all.length > 0
    if (this.#isWaiting) this.#later(() => this.#flush(), GATHER_MS)
    for (const [node, items] of all) this.#send(node, items)
  }

  /** In halves where they do not fit in a message, in order; of one contact only the end. */
  #send(node: string, items: readonly Item[]): void {
    if (this.#tell(node, items) !== 'too_large') return
    const [first] = items
    if (items.length > 1) {
      const half = items.length >> 1
      this.#send(node, items.slice(0, half))
      this.#send(node, items.slice(half))
    } else if (first && 'entries' in first)
      this.#tell(node, [{ contact: first.contact, head: first.entries.at(-1)?.seq ?? 0 }])
  }
}

const afterwards = (run: () => void, delayMs: number): void => void setTimeout(run, delayMs).unref()
