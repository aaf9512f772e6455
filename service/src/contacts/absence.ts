/**
 * Tells a contact's machine of connections that are lost, and of time that is over. What follows from that is
 * its own.
 */
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { randomId } from '../clock/random.ts'
import type { Tables } from '../store/tables.ts'
import { takeTimer } from '../timers/timer-rows.ts'
import type { TimerRow } from '../timers/timer-rows.ts'
import type { ContactChange } from './contact-change.ts'
import type { ContactStore } from './contact-store.ts'
import type { ContactTimer } from './contact.types.ts'
import { sessionsOf } from './session-rows.ts'

/** The connection of a session is gone, unless it has another one meanwhile. */
export function loseSession(
  store: ContactStore,
  { contact, session, isOpen }: { contact: string; session: string; isOpen: () => boolean },
): Promise<void> {
  return store.change(contact, async (change) => {
    if (isOpen()) return
    const lost = await change.trx
      .updateTable('sessions')
      .set({ connected: false })
      .where('contact', '=', contact)
      .where('session', '=', session)
      .where('ended', '=', false)
      .returning('slot')
      .executeTakeFirst()
    if (lost && change.state.channels[lost.slot].includes(session))
      change.happen({ type: 'session.silent', session })
  })
}

/** A session's grace is over. */
export function endGrace(store: ContactStore, timer: TimerRow): Promise<void> {
  return store.change(timer.subject, async (change) => {
    if (!(await takeTimer(change.trx, timer, change.now))) return
    const row = (await change.load(sessionsOf, timer.subject)).find(({ session }) => session === timer.key)
    if (!row || row.connected || row.ended || !change.state.channels[row.slot].includes(timer.key)) return
    const last = change.state.channels[row.slot].length === 1
    change.happen({
      type: 'due.grace',
      slot: row.slot,
      session: timer.key,
      last,
      toId: randomId(change.world.random, 'c-'),
    })
  })
}

/** A limit of the contact's machine is over. */
export function endLimit(store: ContactStore, timer: TimerRow): Promise<void> {
  return store.change(timer.subject, async (change) => {
    if (await takeTimer(change.trx, timer, change.now))
      change.happen({ type: `due.${timer.key as ContactTimer}` })
  })
}

/** Another session of the party has taken the slot: those whose connection is gone will not come back. */
export async function replaceLost(
  change: ContactChange,
  slot: 'visitor' | 'agent',
  session: string,
): Promise<void> {
  for (const other of await change.sessions(slot)) {
    const replaced =
      other.session !== session && !other.connected && change.state.channels[slot].includes(other.session)
    if (replaced) change.happen({ type: 'session.replaced', slot, session: other.session })
  }
}

/** Sessions of one statement. */
const LOST_BATCH = 2_000

/** After a start: no session has a connection yet, whatever the last process noted. */
export async function loseAllSessions(db: Kysely<Tables>, due: number): Promise<void> {
  for (let lost = LOST_BATCH; lost === LOST_BATCH;) lost = await loseSessions(db, due)
}

/** Gives how many were lost. */
async function loseSessions(db: Kysely<Tables>, due: number): Promise<number> {
  const { rows } = await sql<{ lost: number }>`
    with open as (
      select contact, session from sessions where connected order by contact limit ${LOST_BATCH} for update
    ), lost as (
      update sessions s set connected = false from open o where s.contact = o.contact
        and s.session = o.session
      returning s.contact, s.session, s.ended
    ), timed as (
      insert into timers (subject, kind, key, due)
      select l.contact, 'absence', l.session, ${due}::bigint from lost l join contacts c on c.id = l.contact
      where not l.ended and c.life not in ('cleared', 'transferred')
      on conflict (subject, kind, key) do nothing
    ) select count(*) as lost from lost`.execute(db)
  return rows[0]?.lost ?? 0
}
