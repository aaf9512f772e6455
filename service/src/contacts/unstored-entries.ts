/** Entries that a change of a contact has numbered before they are stored. */
import { CompiledQuery } from 'kysely'
import type { Transaction } from 'kysely'
import { insertEntries } from '../log/append.ts'
import type { AppendedRow, RunQuery } from '../log/append.ts'
import type { AppendResult, EntryInsert } from '../log/entry-insert.ts'
import type { Tables } from '../store/tables.ts'
import type { SharedTransaction, Statement } from '../store/transaction-batch.ts'

/** An entry of the service with its number, which is known because the contact is locked. */
export interface UnstoredEntry {
  readonly insert: EntryInsert
  readonly seq: number
}

interface EntryChange {
  readonly unstored: UnstoredEntry[]
  /** The nodes that had the contact open as its entries were stored. */
  nodes: readonly string[]
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
  const batches = jobs.map(({ change, inserts }) => ({ change, own: change.unstored.splice(0), inserts }))
  const all = batches.flatMap(({ own, inserts }) => [...own.map(({ insert }) => insert), ...inserts])
  const outcomes = await insertEntries(runnerOf(trx), all, { time: now, waits: true })
  return batches.map(({ change, own, inserts }) => {
    const stored = outcomes.splice(0, own.length)
    checkNumbers(own, stored)
    const taken = outcomes.splice(0, inserts.length)
    change.nodes = nodesOf([...stored, ...taken]) ?? change.nodes
    return taken
  })
}

/** Stores the entries that the changes themselves have written. */
export async function storeEntries(
  { trx, now }: SharedTransaction,
  changes: readonly EntryChange[],
): Promise<void> {
  const writing = changes.map((change) => ({ change, own: change.unstored.splice(0) }))
  const inserts = writing.flatMap(({ own }) => own.map(({ insert }) => insert))
  if (inserts.length === 0) return
  const outcomes = await insertEntries(runnerOf(trx), inserts, { time: now, waits: true })
  for (const { change, own } of writing) {
    const stored = outcomes.splice(0, own.length)
    checkNumbers(own, stored)
    change.nodes = nodesOf(stored) ?? change.nodes
  }
}

const nodesOf = (outcomes: readonly AppendResult[]): readonly string[] | undefined =>
  outcomes.find(({ nodes }) => nodes)?.nodes

function checkNumbers(told: readonly UnstoredEntry[], stored: readonly AppendResult[]): void {
  if (told.some(({ seq }, index) => seq !== stored[index]?.seq))
    throw new Error('an entry was stored under another number than expected')
}
