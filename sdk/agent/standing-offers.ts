import type { Distribution, Pushes } from '../../protocol/index.ts'

type Withdrawn = Pushes['agent.withdrawn']

/**
 * Contacts that are offered to this page's agent. On every connection the service tells again which offers
 * stand, before it answers a call there: one that it does not tell again is over.
 */
export class StandingOffers {
  readonly #told = new Set<string>()
  readonly #doubtful = new Set<string>()
  /** Contacts that the service has said to be secure: no later word makes them plain. */
  readonly #secure = new Set<string>()
  /** Offers that this page answers, and what it hears of them meanwhile. */
  readonly #answered = new Map<string, Withdrawn[]>()

  /** Notes an offer. False where the page has heard by the same connection that it stands. */
  add({ id, secure }: Pick<Distribution, 'id' | 'secure'>): boolean {
    if (secure) this.#secure.add(id)
    const isNews = !this.#told.has(id) || this.#doubtful.has(id)
    this.#told.add(id)
    this.#doubtful.delete(id)
    return isNews
  }

  isSecure = (id: string): boolean => this.#secure.has(id)

  remove(id: string): void {
    this.#told.delete(id)
    this.#doubtful.delete(id)
  }

  /** Asks for what this page wants with an offer. That it is withdrawn is told only where that fails. */
  async answer<T>(
    id: string,
    { ask, onWithdrawn }: { ask: () => Promise<T>; onWithdrawn: (withdrawn: Withdrawn) => void },
  ): Promise<T> {
    const heard: Withdrawn[] = []
    this.#answered.set(id, heard)
    try {
      const answer = await ask()
      this.remove(id)
      return answer
    } catch (thrown) {
      for (const each of heard) onWithdrawn(each)
      throw thrown
    } finally {
      this.#answered.delete(id)
    }
  }

  /** False where nobody is to be told. */
  withdraw(withdrawn: Withdrawn): boolean {
    const { id } = withdrawn
    const answered = this.#answered.get(id)
    if (answered) answered.push(withdrawn)
    const stood = this.#told.has(id)
    this.remove(id)
    return stood && !answered
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
