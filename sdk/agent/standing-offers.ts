import type { Distribution } from '../../protocol/index.ts'

/**
 * Contacts that are offered to this page's agent. On every connection the service tells again which offers
 * stand, before it answers a call there: one that it does not tell again is over.
 */
export class StandingOffers {
  readonly #told = new Set<string>()
  readonly #doubtful = new Set<string>()
  /** Contacts that the service has said to be secure: no later word makes them plain. */
  readonly #secure = new Set<string>()

  add({ id, secure }: Pick<Distribution, 'id' | 'secure'>): void {
    this.#told.add(id)
    this.#doubtful.delete(id)
    if (secure) this.#secure.add(id)
  }

  isSecure = (id: string): boolean => this.#secure.has(id)

  remove(id: string): void {
    this.#told.delete(id)
    this.#doubtful.delete(id)
  }

  /** There is no connection: what happens to the offers is not heard. */
  doubt(): void {
    for (const id of this.#told) this.#doubtful.add(id)
  }

  get areDoubtful(): boolean {
    return this.#doubtful.size > 0
  }

  /** Those that were not told again. */
  takeLapsed(): string[] {
    const lapsed = [...this.#doubtful]
    for (const id of lapsed) this.remove(id)
    return lapsed
  }
}
