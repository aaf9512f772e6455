import type { Outcome, Writing } from './writing.ts'

type Job =
  | { readonly kind: 'append'; readonly writings: readonly Writing[]; readonly done: (outcomes: Outcome[]) => void; readonly failed: (cause: unknown) => void }
  | { readonly kind: 'alone'; readonly run: () => Promise<void> }

const BATCH_LIMIT = 500

/**
 * Natural group commit: while a batch is on its way to the store, the next one gathers. Contacts are spread over a few lanes by a hash
 * of their ids; what concerns one contact is carried out in the order in which it was asked for.
 */
export class Lanes {
  readonly #lanes: Lane[]

  constructor(flush: (writings: readonly Writing[]) => Promise<Outcome[]>, count = 4) {
    this.#lanes = Array.from({ length: count }, () => new Lane(flush))
  }

  append(contact: string, writings: readonly Writing[]): Promise<Outcome[]> {
    return this.#of(contact).append(writings)
  }

  /** Runs alone in the contact's lane. */
  alone<T>(contact: string, run: () => Promise<T>): Promise<T> {
    return this.#of(contact).alone(run)
  }

  /** Jobs that wait. */
  get depth(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.depth, 0)
  }

  #of(contact: string): Lane {
    let hash = 0
    for (let index = 0; index < contact.length; index += 1) hash = (hash * 31 + contact.charCodeAt(index)) >>> 0
    return this.#lanes[hash % this.#lanes.length] ?? unreachable()
  }
}

const unreachable = (): never => {
  throw new Error('there is no lane')
}

class Lane {
  readonly #flush: (writings: readonly Writing[]) => Promise<Outcome[]>
  readonly #jobs: Job[] = []
  #running = false

  constructor(flush: (writings: readonly Writing[]) => Promise<Outcome[]>) {
    this.#flush = flush
  }

  get depth(): number {
    return this.#jobs.length
  }

  append(writings: readonly Writing[]): Promise<Outcome[]> {
    return new Promise((done, failed) => this.#push({ kind: 'append', writings, done, failed }))
  }

  alone<T>(run: () => Promise<T>): Promise<T> {
    return new Promise((done, failed) => this.#push({ kind: 'alone', run: () => run().then(done, failed) }))
  }

  #push(job: Job): void {
    this.#jobs.push(job)
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      if (job.kind === 'alone') {
        this.#jobs.shift()
        await job.run()
      } else await this.#flushBatch()
    }
    this.#running = false
  }

  async #flushBatch(): Promise<void> {
    const batch = this.#takeBatch()
    try {
      const outcomes = await this.#flush(batch.flatMap((job) => job.writings))
      let from = 0
      for (const job of batch) {
        job.done(outcomes.slice(from, from + job.writings.length))
        from += job.writings.length
      }
    } catch (cause) {
      for (const job of batch) job.failed(cause)
    }
  }

  /** Calls from the front, up to one that names a message again: a statement cannot see what it is about to store. */
  #takeBatch(): Extract<Job, { kind: 'append' }>[] {
    const batch: Extract<Job, { kind: 'append' }>[] = []
    const seen = new Set<string>()
    let size = 0
    for (let job = this.#jobs[0]; job?.kind === 'append'; job = this.#jobs[0]) {
      const names = job.writings.flatMap(namesOf)
      if (batch.length > 0 && (size + job.writings.length > BATCH_LIMIT || names.some((name) => seen.has(name)))) break
      for (const name of names) seen.add(name)
      size += job.writings.length
      batch.push(job)
      this.#jobs.shift()
    }
    return batch
  }
}

/** What may stand only once in a batch. */
export const namesOf = ({ contact, id, slot, ref }: Writing): string[] => (ref === null ? [`${contact} ${id}`] : [`${contact} ${id}`, `${contact} ${slot} ${ref}`])
