import type { Kysely } from 'kysely'
import { ContactError } from '../../../protocol/index.ts'
import type { CannedReply, ContactSearch, DeskCalls, Entry, ReadText } from '../../../protocol/index.ts'
import type { AgentPrincipal } from '../auth/principal.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { readLog } from '../log/read-log.ts'
import type { Tables } from '../store/tables.ts'
import { overviewOf } from './overview.ts'
import { searchContacts } from './past-search.ts'

/** The right to see the queue, the agents and the contacts that go on. */
export const SUPERVISE = 'supervise'
/** The right to read the text of contacts that other agents have. */
export const LISTEN = 'listen'

interface DeskParts {
  readonly db: Kysely<Tables>
  /** The time of everything in the store. */
  readonly clock: ServiceClock
  /** Of the organisation. */
  readonly replies: readonly CannedReply[]
}

type OfContact = DeskCalls['agent.read']['args'] & {
  /** Bytes that a page of the log may have. */
  readonly bytes: number
  /** Fails where the contact is not this agent's. */
  readonly checkOwn: () => Promise<unknown>
}

/** What agents work with beside the contacts that they have. */
export class DeskService {
  readonly #parts: DeskParts

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  get replies(): readonly CannedReply[] {
    return this.#parts.replies
  }

  /** Ended contacts of this agent. @throws {@link ContactError} `invalid_argument` */
  search({ id }: AgentPrincipal, query: ContactSearch): Promise<DeskCalls['agent.search']['result']> {
    return searchContacts(this.#parts.db, id, query)
  }

  /** @throws {@link ContactError} `forbidden` */
  async overview({ rights }: AgentPrincipal): Promise<DeskCalls['agent.overview']['result']> {
    if (!rights.includes(SUPERVISE)) throw withoutRight('read the overview', SUPERVISE)
    return overviewOf(this.#parts.db, this.#parts.clock.now())
  }

  /**
   * Texts of a contact. It is no part in the contact: nothing is written to the log, no channel is opened, and no
   * count of pages that the parties are told changes.
   *
   * @throws {@link ContactError} `not_found`, `left`, `not_assigned`; `forbidden`: the contact is secure
   */
  async read({ rights }: AgentPrincipal, asked: OfContact): Promise<DeskCalls['agent.read']['result']> {
    const { contact, after, bytes } = asked
    const { db } = this.#parts
    const row = await db
      .selectFrom('contacts')
      .select(['head', 'life', 'distribution', 'agent'])
      .where('id', '=', contact)
      .executeTakeFirst()
    if (!row || !rights.includes(LISTEN)) await asked.checkOwn()
    if (!row) throw new ContactError('not_found', 'unable to read the contact; there is no such contact')
    if ((JSON.parse(row.distribution ?? '{}') as { secure?: boolean }).secure === true)
      throw new ContactError('forbidden', 'unable to read the contact; it is encrypted')
    const entries = await readLog(db, contact, { after, limit: PAGE, bytes })
    const last = entries.at(-1)?.seq ?? Math.max(after, row.head)
    const isOver = row.life === 'cleared' || row.life === 'transferred'
    return { texts: entries.flatMap(textOf), last, isMore: last < row.head, isOver }
  }
}

/** Entries of one page. */
const PAGE = 200

function textOf(entry: Entry): ReadText[] {
  if (entry.type !== 'text') return []
  const { text } = entry.body
  const { nick } = entry.from
  return [
    {
      ...{ seq: entry.seq, role: entry.slot, text, time: new Date(entry.time).toISOString() },
      ...(nick !== undefined && { nick }),
    },
  ]
}

const withoutRight = (what: string, right: string): ContactError =>
  new ContactError('forbidden', `unable to ${what}; the agent does not have the right ${right}`)
