/**
 * Contacts that are offered to this page's agent. On every connection the service tells again which offers
 * stand, before it answers a call there: one that it does not tell again is over.
 */
export class StandingOffers {
  readonly #told = new Set<string>()
  readonly #doubtful = new Set<string>()

  add(id: string): void {
    this.#told.add(id)
    this.#doubtful.delete(id)
  }

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
