import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

/** `contact`: a limit of the contact's machine, by name. `absence`: a session's grace. `offer`: an agent's time to answer. `agent`: an agent's grace. `match`: look for matches again. `retention`: remove what is old. */
export type TimerKind = 'contact' | 'absence' | 'offer' | 'agent' | 'match' | 'retention'

/** Something to be done at `due`. It survives a killed service, and is set and cleared in the transaction that it belongs to. */
export interface TimerRow {
  /** The contact (or agent) that it is about. */
  readonly subject: string
  readonly kind: TimerKind
  /** Name of the limit, session or agent. */
  readonly key: string
  readonly due: number
}

export async function setTimer(db: Kysely<Tables>, timer: TimerRow): Promise<void> {
  await db
    .insertInto('timers')
    .values(timer)
    .onConflict((conflict) => conflict.columns(['subject', 'kind', 'key']).doUpdateSet({ due: timer.due }))
    .execute()
}

export async function clearTimer(db: Kysely<Tables>, { subject, kind, key }: Omit<TimerRow, 'due'>): Promise<void> {
  await db.deleteFrom('timers').where('subject', '=', subject).where('kind', '=', kind).where('key', '=', key).execute()
}

/** Takes a due timer out: false where another has taken it, or it was cleared or put off meanwhile. */
export async function takeTimer(db: Kysely<Tables>, { subject, kind, key }: TimerRow, now: number): Promise<boolean> {
  const taken = await db.deleteFrom('timers').where('subject', '=', subject).where('kind', '=', kind).where('key', '=', key).where('due', '<=', now).returning('key').execute()
  return taken.length > 0
}
