import { ContactError, isName, parseDraft } from '../../../protocol/index.ts'
import type { Appended, Draft } from '../../../protocol/index.ts'
import { ReplacedError, hasLeft, notFound, replaceLost } from '../contacts/index.ts'
import type { ContactChange, ContactStore } from '../contacts/index.ts'
import { charactersOf } from './write-jobs.ts'
import type { WriteQueues } from './write-queues.ts'
import { refusalOf, insertOf } from './entry-insert.ts'
import type { AppendResult, Writer, EntryInsert } from './entry-insert.ts'

interface Checked {
  readonly insert: EntryInsert
  readonly error: ContactError | null
}

interface LogParts {
  readonly queues: Pick<WriteQueues<never>, 'append'>
  readonly store: ContactStore
}

/** Takes what parties write. */
export class LogService {
  readonly #parts: LogParts

  constructor(parts: LogParts) {
    this.#parts = parts
  }

  /**
   * Stores the drafts of one session, in order.
   *
   * @throws {@link ContactError} `invalid_argument`, `left`, `not_found`, `not_joined`
   */
  async append(writer: Writer, drafts: readonly unknown[]): Promise<Appended[]> {
    const checked = drafts.map((draft) => checkDraft(writer, draft))
    const inserts = checked.map(({ insert }) => insert)
    checkIds(inserts)
    const outcomes = await this.#store(writer, inserts)
    return checked.map((each, index) => appendedOf(each, outcomes[index]))
  }

  /**
   * A `present` moves the contact's life, so it is stored in a transaction of its own; all else goes the
   * quick way.
   */
  async #store(writer: Writer, inserts: readonly EntryInsert[]): Promise<AppendResult[]> {
    if (inserts.some((insert) => insert.type === 'present' && !insert.refused))
      return this.#parts.store.change(writer.contact, (change) => storeWithPresence(change, inserts), {
        characters: charactersOf(inserts),
      })
    if (inserts.length === 1) return this.#parts.queues.append(writer.contact, inserts)
    const firsts = firstAcks(inserts)
    const once = inserts.map((insert, index) => (firsts[index] === index ? insert : usedUp(insert)))
    const outcomes = await this.#parts.queues.append(writer.contact, once)
    return outcomes.map((outcome, index) => {
      const first = outcomes[firsts[index] ?? index]
      if (!first || first === outcome || outcome.fault !== null) return outcome
      return { ...outcome, seq: first.seq, fault: first.fault }
    })
  }
}

/** Where the message of each `ack` is acknowledged first: a statement cannot see what it is about to store. */
function firstAcks(inserts: readonly EntryInsert[]): readonly number[] {
  const first = new Map<string, number>()
  return inserts.map(({ ref }, index) => {
    if (ref === null) return index
    const before = first.get(ref) ?? index
    first.set(ref, before)
    return before
  })
}

/** An `ack` of what has been acknowledged before: nothing of it is stored. */
const usedUp = (insert: EntryInsert): EntryInsert => ({ ...insert, ref: null, body: '', refused: true })

function checkIds(inserts: readonly EntryInsert[]): void {
  if (new Set(inserts.map(({ id }) => id)).size < inserts.length)
    throw new ContactError('invalid_argument', 'unable to append; two drafts have the same id')
}

/** One bad draft does not spoil the others, but it must have what it takes to name and order it. */
function checkDraft(writer: Writer, draft: unknown): Checked {
  const { id, counter, session } = headOf(draft)
  if (session !== writer.session)
    throw new ContactError('invalid_argument', 'unable to append; a draft names another session')
  try {
    return { insert: insertOf(writer, parseDraft(draft)), error: null }
  } catch (thrown) {
    if (!(thrown instanceof ContactError)) throw thrown
    return { insert: refusalOf(writer, id, counter), error: thrown }
  }
}

function headOf(draft: unknown): Pick<Draft, 'id' | 'counter' | 'session'> {
  const { id, counter, session } = (typeof draft === 'object' && draft !== null ? draft : {}) as Record<
    string,
    unknown
  >
  if (
    !isName(id) ||
    typeof session !== 'string' ||
    typeof counter !== 'number' ||
    !Number.isSafeInteger(counter) ||
    counter < 1
  ) {
    throw new ContactError(
      'invalid_argument',
      'unable to append; a draft has no valid id, session or counter',
    )
  }
  return { id, counter, session }
}

function appendedOf({ insert, error }: Checked, outcome: AppendResult | undefined): Appended {
  const { id } = insert
  const refuse = (code: ContactError['code'], message: string): Appended => ({ id, error: { code, message } })
  switch (outcome?.fault) {
    case undefined:
      return refuse('internal', 'unable to append; the store gave no answer')
    case 'not_found':
      throw notFound(insert.contact)
    case 'locked':
      throw new ContactError('offline', 'unable to append; somebody else has locked the contact')
    case 'replaced':
      throw new ReplacedError('append')
    case 'unknown':
      throw new ContactError('not_joined', 'unable to append; this session has not opened the contact')
    case 'left':
      throw hasLeft()
    case 'taken':
      return refuse('invalid_argument', 'unable to append; the id is that of another entry')
    case 'counter':
      return error
        ? refuse(error.code, error.message)
        : refuse(
            'invalid_state',
            `unable to append; the next counter of the session is ${outcome.expected ?? 'another'}`,
          )
    case null:
      // What is stored already has its number, whatever the rest of the draft says.
      if (outcome.seq !== null) return { id, seq: outcome.seq }
      return error
        ? refuse(error.code, error.message)
        : refuse('internal', 'unable to append; the store gave no number')
  }
}

async function storeWithPresence(
  change: ContactChange,
  inserts: readonly EntryInsert[],
): Promise<AppendResult[]> {
  const outcomes: AppendResult[] = []
  for (const insert of inserts) {
    const [outcome] = await change.append([insert])
    if (!outcome) continue
    outcomes.push(outcome)
    if (insert.type === 'present' && outcome.isNew && insert.slot !== 'service' && insert.session !== null)
      await enter(change, insert.slot, insert.session)
  }
  return outcomes
}

async function enter(change: ContactChange, slot: 'visitor' | 'agent', session: string): Promise<void> {
  if (change.state.shared.session[slot] === session) await replaceLost(change, slot, session)
  if (slot === 'visitor') change.happen({ type: 'visitor.present', now: change.now })
  else change.happen({ type: 'agent.present' })
}
