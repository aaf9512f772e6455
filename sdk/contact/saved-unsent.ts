import * as v from '../../protocol/checks.ts'
import { typesWith } from '../../protocol/index.ts'
import type { UnsentEntry } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import { readAs } from '../values/stored.ts'

const unsentSchema = v.object({
  id: v.string(),
  type: v.picklist(typesWith('persists')),
  body: v.record(v.string(), v.unknown()),
})
/** The first of their numbers, and the one after the last. */
const numbersSchema = v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0)))
/** Far more numbers than messages may wait: what stands further back was sent long ago. */
const MOST = 4_096

/**
 * Messages of a tab that are still to be sent, each under a key of its own: what is written is what has
 * changed, however much waits.
 */
export class SavedUnsent {
  readonly #key: string
  readonly #store: KeyValueStore
  /** By id: under which number it stands. */
  readonly #numbers = new Map<string, number>()
  /** Those that an earlier page has kept. */
  readonly found: readonly UnsentEntry[]
  /** Of these, the ids of those that have not been handed over yet. */
  readonly #expected: Set<string>
  #next = 0

  constructor(store: KeyValueStore, key: string) {
    this.#store = store
    this.#key = `${key}:unsent`
    this.found = this.#read()
    this.#expected = new Set(this.found.map(({ id }) => id))
  }

  /** These wait now, and no others but for those of an earlier page that are still to be handed over. */
  save(unsent: readonly UnsentEntry[]): void {
    const waiting = new Set(unsent.map(({ id }) => id))
    for (const id of waiting) this.#expected.delete(id)
    const [gone, come] = [
      [...this.#numbers.keys()].filter((id) => !waiting.has(id) && !this.#expected.has(id)),
      unsent.filter(({ id }) => !this.#numbers.has(id)),
    ]
    for (const id of gone) this.#remove(id)
    for (const entry of come) {
      this.#store.setItem(this.#keyOf(this.#next), JSON.stringify(entry))
      this.#numbers.set(entry.id, this.#next++)
    }
    if (gone.length + come.length > 0) this.#saveNumbers()
  }

  erase(): void {
    for (const id of [...this.#numbers.keys()]) this.#remove(id)
    this.#store.removeItem(this.#key)
  }

  #read(): readonly UnsentEntry[] {
    const [first = 0, next = 0] = readAs(numbersSchema, this.#store.getItem(this.#key)) ?? []
    const found: UnsentEntry[] = []
    for (this.#next = Math.max(first, next - MOST); this.#next < next; this.#next++) {
      const key = this.#keyOf(this.#next)
      const entry = readAs(unsentSchema, this.#store.getItem(key))
      if (entry) this.#numbers.set(entry.id, this.#next)
      if (entry) found.push(entry as unknown as UnsentEntry)
      else this.#store.removeItem(key)
    }
    return found
  }

  #saveNumbers(): void {
    const first = this.#numbers.values().next().value
    if (first === undefined) this.#store.removeItem(this.#key)
    else this.#store.setItem(this.#key, JSON.stringify([first, this.#next]))
  }

  #remove(id: string): void {
    this.#store.removeItem(this.#keyOf(this.#numbers.get(id)))
    this.#numbers.delete(id)
  }

  #keyOf = (number: number | undefined): string => `${this.#key}:${number}`
}
