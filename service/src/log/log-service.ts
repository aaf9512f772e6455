import { ContactError, isName, parseDraft } from '../../../protocol/index.ts'
import type { Appended, Draft } from '../../../protocol/index.ts'
import { hasLeft, notFound, replaceLost } from '../contacts/index.ts'
import type { ContactChange, ContactStore } from '../contacts/index.ts'
import { charactersOf } from './write-jobs.ts'
import type { WriteQueues } from './write-queues.ts'
import { refusalOf, writingOf } from './entry-insert.ts'
import type { AppendResult, Writer, EntryInsert } from './entry-insert.ts'

interface Checked {
  readonly writing: EntryInsert
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
    const writings = checked.map(({ writing }) => writing)
    checkIds(writings)
    const outcomes = await this.#store(writer, writings)
    return checked.map((each, index) => appendedOf(each, outcomes[index]))
  }

  /**
   * A `present` moves the contact's life, so it is stored in a transaction of its own; all else goes the
   * quick way.
   */
  async #store(writer: Writer, writings: readonly EntryInsert[]): Promise<AppendResult[]> {
    if (writings.some((writing) => writing.type === 'present' && !writing.refused))
      return this.#parts.store.change(writer.contact, (change) => storeWithPresence(change, writings), {
        characters: charactersOf(writings),
      })
    if (writings.length === 1) return this.#parts.queues.append(writer.contact, writings)
    const firsts = firstAcks(writings)
    const once = writings.map((writing, index) => (firsts[index] === index ? writing : usedUp(writing)))
    const outcomes = await this.#parts.queues.append(writer.contact, once)
    return outcomes.map((outcome, index) => {
      const first = outcomes[firsts[index] ?? index]
      if (!first || first === outcome || outcome.fault !== null) return outcome
      return { ...outcome, seq: first.seq, fault: first.fault }
    })
  }
}

/** Where the message of each `ack` is acknowledged first: a statement cannot see what it is about to store. */
function firstAcks(writings: readonly EntryInsert[]): readonly number[] {
  const first = new Map<string, number>()
  return writings.map(({ ref }, index) => {
    if (ref === null) return index
    const before = first.get(ref) ?? index
    first.set(ref, before)
    return before
  })
}

/** An `ack` of what has been acknowledged before: nothing of it is stored. */
const usedUp = (writing: EntryInsert): EntryInsert => ({ ...writing, ref: null, body: '', refused: true })

function checkIds(writings: readonly EntryInsert[]): void {
  if (new Set(writings.map(({ id }) => id)).size < writings.length)
    throw new ContactError('invalid_argument', 'unable to append; two drafts have the same id')
}

/** One bad draft does not spoil the others, but it must have what it takes to name and order it. */
function checkDraft(writer: Writer, draft: unknown): Checked {
  const { id, counter, session } = headOf(draft)
  if (session !== writer.session)
    throw new ContactError('invalid_argument', 'unable to append; a draft names another session')
  try {
    return { writing: writingOf(writer, parseDraft(draft)), error: null }
  } catch (thrown) {
    if (!(thrown instanceof ContactError)) throw thrown
    return { writing: refusalOf(writer, id, counter), error: thrown }
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

function appendedOf({ writing, error }: Checked, outcome: AppendResult | undefined): Appended {
  const { id } = writing
  const refuse = (code: ContactError['code'], message: string): Appended => ({ id, error: { code, message } })
  switch (outcome?.fault) {
    case undefined:
      return refuse('internal', 'unable to append; the store gave no answer')
    case 'not_found':
      throw notFound(writing.contact)
    case 'locked':
      throw new ContactError('offline', 'unable to append; somebody else has locked the contact')
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
  writings: readonly EntryInsert[],
): Promise<AppendResult[]> {
  const outcomes: AppendResult[] = []
  for (const writing of writings) {
    const [outcome] = await change.append([writing])
    if (!outcome) continue
    outcomes.push(outcome)
    if (writing.type === 'present' && outcome.isNew && writing.slot !== 'service' && writing.session !== null)
      await enter(change, writing.slot, writing.session)
  }
  return outcomes
}

async function enter(change: ContactChange, slot: 'visitor' | 'agent', session: string): Promise<void> {
  if (change.state.shared.session[slot] === session) await replaceLost(change, slot, session)
  if (slot === 'visitor') change.happen({ type: 'visitor.present', now: change.now })
  else change.happen({ type: 'agent.present' })
}
