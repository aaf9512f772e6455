/** Entries that a change of a contact has numbered before they are stored. */
import { CompiledQuery } from 'kysely'
import type { Transaction } from 'kysely'
import { insertEntries } from '../log/append.ts'
import type { AppendedRow, RunQuery } from '../log/append.ts'
import type { AppendResult, EntryInsert } from '../log/entry-insert.ts'
import type { Tables } from '../store/tables.ts'
import type { SharedTransaction, Statement } from './transaction-batch.ts'

/** An entry of the service with its number, which is known because the contact is locked. */
export interface UnstoredEntry {
  readonly insert: EntryInsert
  readonly seq: number
}

interface EntryChange {
  readonly unstored: UnstoredEntry[]
}

const runnerOf =
  (trx: Transaction<Tables>): RunQuery =>
  async ({ text, values }) => ({
    rows: (await trx.executeQuery<AppendedRow>(CompiledQuery.raw(text, values))).rows,
  })

/** Stores what parties wrote, after the entries that the changes themselves have written so far. */
export const appendAll: Statement<
  { readonly change: EntryChange; readonly inserts: readonly EntryInsert[] },
  AppendResult[]
> = async ({ trx, now }, jobs) => {
  const batches = jobs.map(({ change, inserts }) => ({ own: change.unstored.splice(0), inserts }))
  const all = batches.flatMap(({ own, inserts }) => [...own.map(({ insert }) => insert), ...inserts])
  const outcomes = await insertEntries(runnerOf(trx), all, { time: now, waits: true })
  return batches.map(({ own, inserts }) => {
    checkNumbers(own, outcomes.splice(0, own.length))
    return outcomes.splice(0, inserts.length)
  })
}

/** Stores the entries that the changes themselves have written. */
export async function storeEntries(
  { trx, now }: SharedTransaction,
  changes: readonly EntryChange[],
): Promise<void> {
  const unstored = changes.flatMap((change) => change.unstored.splice(0))
  if (unstored.length === 0) return
  const inserts = unstored.map(({ insert }) => insert)
  checkNumbers(unstored, await insertEntries(runnerOf(trx), inserts, { time: now, waits: true }))
}

function checkNumbers(told: readonly UnstoredEntry[], stored: readonly AppendResult[]): void {
  if (told.some(({ seq }, index) => seq !== stored[index]?.seq))
    throw new Error('an entry was stored under another number than expected')
}
