/** Entries that a change of a contact has numbered before they are stored. */
import { CompiledQuery } from 'kysely'
import type { Transaction } from 'kysely'
import { appendWritings } from '../log/append.ts'
import type { AppendedRow, RunQuery } from '../log/append.ts'
import type { AppendResult, EntryInsert } from '../log/entry-insert.ts'
import type { Tables } from '../store/tables.ts'
import type { Shared, Statement } from './transaction-batch.ts'

/** An entry of the service with its number, which is known because the contact is locked. */
export interface UnstoredEntry {
  readonly writing: EntryInsert
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
  { readonly change: EntryChange; readonly writings: readonly EntryInsert[] },
  AppendResult[]
> = async ({ trx, now }, jobs) => {
  const batches = jobs.map(({ change, writings }) => ({ own: change.unstored.splice(0), writings }))
  const all = batches.flatMap(({ own, writings }) => [...own.map(({ writing }) => writing), ...writings])
  const outcomes = await appendWritings(runnerOf(trx), all, { time: now, waits: true })
  return batches.map(({ own, writings }) => {
    checkNumbers(own, outcomes.splice(0, own.length))
    return outcomes.splice(0, writings.length)
  })
}

/** Stores the entries that the changes themselves have written. */
export async function storeEntries({ trx, now }: Shared, changes: readonly EntryChange[]): Promise<void> {
  const unstored = changes.flatMap((change) => change.unstored.splice(0))
  if (unstored.length === 0) return
  const writings = unstored.map(({ writing }) => writing)
  checkNumbers(unstored, await appendWritings(runnerOf(trx), writings, { time: now, waits: true }))
}

function checkNumbers(told: readonly UnstoredEntry[], stored: readonly AppendResult[]): void {
  if (told.some(({ seq }, index) => seq !== stored[index]?.seq))
    throw new Error('an entry was stored under another number than expected')
}
