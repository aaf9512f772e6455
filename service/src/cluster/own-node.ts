import type { Kysely } from 'kysely'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import type { Tables } from '../store/tables.ts'
import { enterNode } from './node-table.ts'

/** This process among the nodes. */
export interface OwnNode {
  /** Its identity in the table of nodes. Another one after it was declared dead. */
  readonly id: string
  /** Whether it takes new work: offers, timers, jobs, calls. Not while it drains. */
  readonly takesWork: boolean
  /** Whether it may act on the absence of others. */
  isSettled(): boolean
}

/** What its program understands of the store and the bus. */
const LEVEL = 1

/** Enters the table of nodes where no other process has the store: all other nodes are dead. */
export async function enterAlone(
  db: Kysely<Tables>,
  { random, now }: { readonly random: Random; readonly now: number },
): Promise<OwnNode> {
  const id = randomId(random, 'n-')
  await db.updateTable('nodes').set({ state: 'dead', died: now }).where('state', '<>', 'dead').execute()
  await enterNode(db, { node: id, name: '', address: '', level: LEVEL })
  return { id, takesWork: true, isSettled: () => true }
}
