import type { Agent, AgentEvents } from 'duolog/agent'

/** A contact that waits for this agent's answer. */
export interface Incoming {
  readonly offered: AgentEvents['distribution']
  /** Since when the visitor waits, milliseconds since the epoch; null: not told. */
  readonly since: number | null
  /** When the offer lapses, on the clock of `performance.now()`. */
  readonly deadlineMs: number
  readonly isAnswered: boolean
}

/** Contacts that wait for this agent: each until it is answered or withdrawn, or its time is over. */
export class IncomingOffers {
  readonly #onChange: () => void
  readonly #lapses = new Map<string, ReturnType<typeof setTimeout>>()
  #list: readonly Incoming[] = []

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get list(): readonly Incoming[] {
    return this.#list
  }

  /** Hears of offers until `signal` is aborted. */
  follow(agent: Agent, signal: AbortSignal): void {
    agent.on('distribution', (offered) => this.add(offered), { signal })
    agent.on('question', ({ id, text }) => this.asked(id, text), { signal })
    agent.on('withdrawn', ({ id }) => this.forget(id), { signal })
  }

  /** A contact is offered, or told again on a new connection: one that is being answered stays so. */
  add(offered: AgentEvents['distribution']): void {
    const { id, expiresInMs } = offered
    const isAnswered = this.#list.some((one) => one.offered.id === id && one.isAnswered)
    this.#take(id)
    const since = offered.waitedMs === undefined ? null : Date.now() - offered.waitedMs
    this.#list = [...this.#list, { offered, since, deadlineMs: performance.now() + expiresInMs, isAnswered }]
    this.#lapses.set(
      id,
      setTimeout(() => this.#lapsed(id), expiresInMs),
    )
    this.#onChange()
  }

  /** The visitor of an offered contact has written. */
  asked(id: string, question: string): void {
    this.#list = this.#list.map((one) =>
      one.offered.id === id ? { ...one, offered: { ...one.offered, question } } : one,
    )
    this.#onChange()
  }

  /** Marks an offer as answered; false where it is gone or answered already. */
  mark(id: string): boolean {
    const found = this.#list.find(({ offered, isAnswered }) => offered.id === id && !isAnswered)
    this.#list = this.#list.map((one) => (one === found ? { ...one, isAnswered: true } : one))
    this.#onChange()
    return found !== undefined
  }

  forget(id: string): void {
    this.#take(id)
    this.#onChange()
  }

  clear(): void {
    for (const { offered } of this.#list) this.#take(offered.id)
  }

  /** What has been answered waits for what comes of that. */
  #lapsed(id: string): void {
    if (this.#list.some(({ offered, isAnswered }) => offered.id === id && !isAnswered)) this.forget(id)
  }

  #take(id: string): void {
    clearTimeout(this.#lapses.get(id))
    this.#lapses.delete(id)
    this.#list = this.#list.filter(({ offered }) => offered.id !== id)
  }
}
