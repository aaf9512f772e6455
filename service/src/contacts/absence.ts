/** Tells a contact's machine of connections that are lost, and of time that is over. What follows from that is its own. */
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
export function loseSession(store: ContactStore, { contact, session, isOpen }: { contact: string; session: string; isOpen: () => boolean }): Promise<void> {
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
    if (lost && change.state.channels[lost.slot].includes(session)) change.happen({ type: 'session.silent', session })
  })
}

/** A session's grace is over. */
export function endGrace(store: ContactStore, timer: TimerRow): Promise<void> {
  return store.change(timer.subject, async (change) => {
    if (!(await takeTimer(change.trx, timer, change.now))) return
    const row = (await change.ask(sessionsOf, timer.subject)).find(({ session }) => session === timer.key)
    if (!row || row.connected || row.ended || !change.state.channels[row.slot].includes(timer.key)) return
    const last = change.state.channels[row.slot].length === 1
    change.happen({ type: 'due.grace', slot: row.slot, session: timer.key, last, toId: randomId(change.world.random, 'c-') })
  })
}

/** A limit of the contact's machine is over. */
export function endLimit(store: ContactStore, timer: TimerRow): Promise<void> {
  return store.change(timer.subject, async (change) => {
    if (await takeTimer(change.trx, timer, change.now)) change.happen({ type: `due.${timer.key as ContactTimer}` })
  })
}

/** Another session of the party has taken the slot: those whose connection is gone will not come back. */
export async function replaceLost(change: ContactChange, slot: 'visitor' | 'agent', session: string): Promise<void> {
  for (const other of await change.sessions(slot)) {
    const replaced = other.session !== session && !other.connected && change.state.channels[slot].includes(other.session)
    if (replaced) change.happen({ type: 'session.replaced', slot, session: other.session })
  }
}

/** After a start: no session has a connection yet, whatever the last process noted. */
export async function loseAllSessions(db: Kysely<Tables>, due: number): Promise<void> {
  await sql`
    insert into timers (subject, kind, key, due)
    select s.contact, 'absence', s.session, ${due}::bigint from sessions s join contacts c on c.id = s.contact
    where s.connected and not s.ended and c.life not in ('cleared', 'transferred')
    on conflict (subject, kind, key) do nothing`.execute(db)
  await db.updateTable('sessions').set({ connected: false }).where('connected', '=', true).execute()
}
