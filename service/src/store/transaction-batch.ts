import type { Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** The transaction that changes of several contacts share. */
export interface SharedTransaction {
  readonly trx: Transaction<Tables>
  /** The time of everything that is written in it. */
  readonly now: number
}

/** A statement about any number of contacts. The answers stand in the order of the questions. */
export type Statement<Q, A> = (shared: SharedTransaction, questions: readonly Q[]) => Promise<readonly A[]>

interface Waiting {
  readonly question: unknown
  readonly settle: (answer: unknown) => void
  readonly failed: (cause: unknown) => void
}

/**
 * Changes that run side by side in one transaction: what several of them ask of the store in the same turn is
 * one statement.
 */
export class TransactionBatch implements SharedTransaction {
  readonly trx: Transaction<Tables>
  readonly now: number
  readonly #waiting = new Map<unknown, Waiting[]>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(trx: Transaction<Tables>, now: number) {
    this.trx = trx
    this.now = now
  }

  load<Q, A>(statement: Statement<Q, A>, question: Q): Promise<A> {
    return new Promise<unknown>((settle, failed) => {
      const waiting = this.#waiting.get(statement)
      if (waiting) waiting.push({ question, settle, failed })
      else {
        this.#waiting.set(statement, [{ question, settle, failed }])
        setImmediate(() => void this.#make(statement as Statement<unknown, unknown>))
      }
    }) as Promise<A>
  }

  /** For work that looks at what other changes may write too: one after another. */
  serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  async #make(statement: Statement<unknown, unknown>): Promise<void> {
    const all = this.#waiting.get(statement) ?? []
    this.#waiting.delete(statement)
    try {
      const answers = await statement(
        this,
        all.map(({ question }) => question),
      )
      all.forEach(({ settle }, index) => settle(answers[index]))
    } catch (cause) {
      for (const { failed } of all) failed(cause)
    }
  }
}
