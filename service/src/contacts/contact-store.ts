import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { Metrics } from '../http/metrics.ts'
import { nextEntries } from '../log/read-log.ts'
import type { WriteQueues } from '../log/write-queues.ts'
import type { Tables } from '../store/tables.ts'
import { carryOut } from './change-group.ts'
import type { ChangeJob, ChangeInput } from './change-group.ts'
import { ContactChange } from './contact-change.ts'
import type { ContactWorld } from './contact-change.ts'
import { QUEUED_LIMIT, insertNew, insertSuccessor, lockVisitor } from './contact-creation.ts'
import type { Creation } from './contact-creation.ts'
import { notFound } from './contact-errors.ts'
import { ContactReader, stateOf } from './contact-reader.ts'

interface StoreParts {
  readonly db: Kysely<Tables>
  readonly queues: WriteQueues<ChangeJob>
  readonly bus: LocalBus
  readonly world: ContactWorld
  readonly metrics: Pick<Metrics, 'add'>
}

/** What a change takes besides its contact. */
interface Demands {
  /** The party whose own rows it looks at or locks. */
  readonly lockKey?: string | null
  /** Of the content that it brings, and keeps while it waits. */
  readonly characters?: number
}

/** Contacts in the store. All changes of one contact pass through its queue, and lock its row. */
export class ContactStore extends ContactReader {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    super(parts.db)
    this.#parts = parts
  }

  /**
   * Changes a contact in a transaction, which it may share with changes of others, and tells the others after
   * the commit.
   * The work writes nothing before it fails with a {@link ContactError}.
   *
   * @throws {@link ContactError} `not_found`
   */
  change<T>(
    contact: string,
    work: (change: ContactChange) => Promise<T>,
    { lockKey = null, characters = 0 }: Demands = {},
  ): Promise<T> {
    return this.#enter({ contact, lockKey, characters, isNew: false }, async ({ batch, row }) => {
      if (!row) throw notFound(contact)
      const { id, head, state_seq: after } = row
      const next = after < head ? await batch.load(nextEntries, { contact: id, after }) : []
      const state = await stateOf(batch.trx, row, next)
      const change = new ContactChange(batch, this.#parts.world, { row, state })
      const result = await work(change)
      const successor = change.successor
        ? await insertSuccessor({ batch, world: this.#parts.world }, change, change.successor)
        : null
      return { changes: successor ? [change, successor] : [change], result }
    })
  }

  /** Makes a contact, or finds the one that the same request made. */
  create(contact: Creation): Promise<string> {
    return this.#enter(
      {
        contact: contact.id,
        lockKey: contact.visitor,
        characters: JSON.stringify(contact.details).length,
        isNew: true,
      },
      async ({ batch }) => {
        if (!(await batch.load(lockVisitor, contact.visitor)))
          throw new ContactError('unauthorized', 'unable to create the contact; the visitor was erased')
        const made = await insertNew({ batch, world: this.#parts.world }, contact)
        if (made) return { changes: [made], result: contact.id }
        const { visitor, request } = contact
        const existing = await batch.trx
          .selectFrom('contacts')
          .select('id')
          .where('visitor', '=', visitor)
          .where('request', '=', request)
          .executeTakeFirst()
        if (!existing)
          throw new ContactError(
            'rate_limited',
            `unable to create the contact; ${QUEUED_LIMIT} of this visitor wait already`,
          )
        return { changes: [], result: existing.id }
      },
    )
  }

  /**
   * Carries out changes that waited in their queues. Gives those whose contact somebody else has locked,
   * unless it waits for them.
   */
  carryOut(jobs: readonly ChangeJob[], waits: boolean): Promise<readonly ChangeJob[]> {
    const { db, world, metrics } = this.#parts
    return carryOut(
      { db, waits, metrics, now: () => world.clock.now(), publish: (change) => this.#publish(change) },
      jobs,
    )
  }

  #enter<T>(
    { characters, ...about }: Pick<ChangeJob, 'contact' | 'lockKey' | 'isNew'> & Required<Demands>,
    run: (
      opening: ChangeInput,
    ) => Promise<{ readonly changes: readonly ContactChange[]; readonly result: T }>,
  ): Promise<T> {
    this.#parts.queues.checkRoom()
    return new Promise((settle, failed) => {
      let end = (): void => {}
      const job: ChangeJob = {
        ...about,
        run: async (opening) => {
          const { changes, result } = await run(opening)
          end = () => settle(result)
          return changes
        },
        done: () => end(),
        failed,
      }
      this.#parts.queues.change(about.contact, job, characters)
    })
  }

  #publish(change: ContactChange): void {
    const { bus } = this.#parts
    if (change.entries.length > 0)
      bus.publish('appended', { contact: change.row.id, entries: change.entries, nodes: change.nodes })
    const due = [...change.timers.values()].reduce(
      (next, timer) => Math.min(next, timer.due ?? next),
      Number.POSITIVE_INFINITY,
    )
    if (due < Number.POSITIVE_INFINITY) bus.publish('timer', { due })
    for (const push of change.pushes) bus.publish('agent', push)
    if (change.droppedUploads.length > 0) bus.publish('uploadsDropped', { ids: change.droppedUploads })
    if (change.movesQueue) bus.publish('match', { reason: change.row.id })
  }
}
