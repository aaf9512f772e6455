import type { QueryResult } from 'pg'
import type { Fault, AppendResult, EntryInsert } from './entry-insert.ts'

/** What can run a statement: a pool, a client, a transaction. */
export type RunQuery = (query: {
  name: string
  text: string
  values: unknown[]
}) => Promise<Pick<QueryResult<AppendedRow>, 'rows'>>

export interface AppendedRow {
  n: number
  seq: number | null
  fault: Fault | null
  expected: number | null
  is_new: boolean
  lag: number
}

/** How it is stored. */
export interface Appending {
  readonly time: number
  /**
   * Whether it waits for contacts that somebody else has locked; what it does not wait for has the fault
   * `locked`.
   */
  readonly waits: boolean
}

/** Writes a batch in one statement. The outcomes stand in the order of the inserts. */
export async function insertEntries(
  run: RunQuery,
  inserts: readonly EntryInsert[],
  { time, waits }: Appending,
): Promise<AppendResult[]> {
  const column = <K extends keyof EntryInsert>(key: K): EntryInsert[K][] =>
    inserts.map((insert) => insert[key])
  const values = [
    time,
    column('contact'),
    column('id'),
    column('type'),
    column('slot'),
    column('session'),
    column('counter'),
    column('principal'),
    column('nick'),
    column('body'),
    column('ref'),
    column('refused'),
  ]
  const name = waits ? 'append_entries' : 'append_free'
  const { rows } = await run({
    name,
    text: `select * from ${name}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values,
  })
  return rows.map(({ seq, fault, expected, is_new: isNew, lag }) => ({ seq, fault, expected, isNew, lag }))
}
