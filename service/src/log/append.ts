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
  nodes: string[] | null
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
  const values: unknown[] = [
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
    column('epoch'),
  ]
  const name = waits ? 'append_entries_2' : 'append_free_2'
  const { rows } = await run({
    name,
    text: `select * from ${name}(${values.map((_, index) => `$${index + 1}`).join(', ')})`,
    values,
  })
  return rows.map(({ seq, fault, expected, is_new: isNew, lag, nodes }) => ({
    ...{ seq, fault, expected, isNew, lag },
    ...(nodes && { nodes }),
  }))
}
