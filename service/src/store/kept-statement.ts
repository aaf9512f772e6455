import { sql } from 'kysely'

const MARK = /^\s*\/\*kept (\w+)\*\//

/**
 * Begins a statement that each connection parses and plans once. Its text and the columns of its answer are
 * always the same: it names them, since a newer node may add columns.
 */
export const keptAs = (name: string) => sql.raw(`/*kept ${name}*/`)

/** The name under which a connection keeps a statement; null: it does not. */
export const nameOf = (text: string): string | null => MARK.exec(text)?.[1] ?? null
