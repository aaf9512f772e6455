/**
 * Tells a contact's machine of connections that are lost, and of time that is over. What follows from that is
 * its own.
 */
import { randomId } from '../clock/random.ts'
import { loseAt } from '../cluster/session-openings.ts'
import type { OpenSession } from '../cluster/session-openings.ts'
import { takeTimer } from '../timers/timer-rows.ts'
import type { TimerRow } from '../timers/timer-rows.ts'
import type { ContactChange } from './contact-change.ts'
import { isEmpty } from './contact-record.ts'
import type { ContactStore } from './contact-store.ts'
import type { ContactTimer } from './contact.types.ts'
import { sessionsOf } from './session-rows.ts'

/** The connection of a session is gone, unless the session was opened anew meanwhile, here or elsewhere. */
export function loseSession(store: ContactStore, lost: OpenSession): Promise<void> {
  return store.change(lost.contact, async (change) => {
    const slot = await loseAt(change.trx, lost)
    if (slot && change.state.channels[slot].includes(lost.session))
      change.happen({ type: 'session.silent', session: lost.session })
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
      isEmpty: isEmpty(change.row),
      toId: randomId(change.world.random, 'c-'),
    })
  })
}

/** A limit of the contact's machine is over. */
export function endLimit(store: ContactStore, timer: TimerRow): Promise<void> {
  return store.change(timer.subject, async (change) => {
    if (await takeTimer(change.trx, timer, change.now))
      change.happen({
        type: `due.${timer.key as ContactTimer}`,
        now: change.now,
        isEmpty: isEmpty(change.row),
      })
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
