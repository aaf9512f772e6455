/** What an agent is told of an offered contact beside its facts. */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { LIMITS } from '../../../protocol/index.ts'
import type { Distribution } from '../../../protocol/index.ts'
import type { Tables } from '../store/tables.ts'

/** Entries of a contact among which its first message is looked for: before it stands what pages announce. */
const FIRST_ENTRIES = 32

/** What the visitor wrote first, and what the agent before has left for the next one. */
export type OpeningWords = Pick<Distribution, 'question' | 'handedBy' | 'note'>

interface Row {
  readonly id: string
  readonly body: string | null
  readonly nick: string | null
  readonly note: string | null
}

/** Of these contacts; what a secure one says is sealed. */
export async function openingWords(
  db: Kysely<Tables>,
  contacts: readonly string[],
): Promise<ReadonlyMap<string, OpeningWords>> {
  if (contacts.length === 0) return new Map()
  const { rows } = await sql<Row>`
    select c.id, said.body, by.nick, left_note.body as note
    from contacts c
      left join lateral (select e.body from entries e where e.contact = c.id and e.seq <= ${FIRST_ENTRIES}
        and e.type = 'text' and e.slot = 'visitor' order by e.seq limit 1) said on true
      left join agents by on by.id = c.handed_by
      left join lateral (select n.body from notes n where n.contact in (c.id, c.transferred_from)
        and n.agent = c.handed_by and n.is_for_next order by n.n desc limit 1) left_note on true
    where c.id = any(${[...new Set(contacts)]})`.execute(db)
  return new Map(rows.map((row) => [row.id, wordsOf(row)]))
}

function wordsOf({ body, nick, note }: Row): OpeningWords {
  const question = body === null ? undefined : questionOf(JSON.parse(body))
  return {
    ...(question !== undefined && { question }),
    ...(nick !== null && { handedBy: nick }),
    ...(note !== null && { note }),
  }
}

/** The beginning of a text; undefined of one that is sealed. */
export function questionOf(body: unknown): string | undefined {
  const { text } = Object(body) as { readonly text?: unknown }
  return typeof text === 'string' ? Array.from(text).slice(0, LIMITS.question).join('') : undefined
}
