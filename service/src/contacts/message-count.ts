import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/**
 * Messages of a row of `contacts`, each once: the statement that appends counts what is stored, and the stored fold
 * knows which of them are void and written again (`repeated`). Of a contact that goes on, the fold may be some
 * entries behind.
 */
export const messageCount = (table: 'c' | 'contacts'): RawBuilder<number> =>
  sql`${sql.ref(`${table}.messages`)} - coalesce((${sql.ref(`${table}.state`)}::json ->> 'repeated')::integer, 0)`
