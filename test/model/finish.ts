/** What must hold where nothing is left to happen: I2, I5, I6. */
import { otherSlot } from '../../protocol/index.ts'
import { isIn, publicState, transmissions } from './local.ts'
import type { Local, Production } from './local.ts'
import { pendingFault } from './pending.ts'
import { endedFault } from './phone.ts'
import { reads } from './places.ts'
import type { World } from './places.ts'
import type { Model } from './world.ts'

/**
 * What is not as it should be at the end of a fair run, or null: everybody is idle and quiet, and engines
 * carry what the contact says.
 */
export function unfinished({ production }: Model, { head, places }: World): string | null {
  for (const place of places) {
    if (!reads(place)) continue
    const { slot } = place.page.local
    const fault =
      unrest(production, place.page.local, head.visitor.session[slot]) ?? endedFault(head.line, head[slot])
    if (fault) return fault
  }
  const still = places.some(({ page: { local } }) => local.life === 'frozen' || local.life === 'hostile')
  return still || head.visitor.phase.name === 'idle' ? null : 'I2 the phase never ends'
}

/** Who waits for the log where all has been read: what it waits for was never written. */
export function waiting({ places }: World): string | null {
  const stuck = places.find(
    (place) =>
      reads(place) &&
      (isIn(place.page.local, 'transiting', 'failing') ||
        isIn(place.page.local, 'transiting', 'answered') ||
        isIn(place.page.local, 'offering', 'sent')),
  )
  return stuck
    ? `I2 ${stuck.page.local.session} waits in ${JSON.stringify(stuck.page.local.snapshot.value)} for nothing`
    : null
}

function unrest({ protocol: { algebra } }: Production, local: Local, holder: string | null): string | null {
  const { slot, snapshot, session, pending, operation, carried, shared, lost, acquired } = local
  const where = JSON.stringify(snapshot.value)
  if (pending.length > 0) return `I2 ${session} still has an offer pending in ${where}`
  if (operation) return `I2 the engines of ${session} never come to rest in ${where}`
  if (holder === null) return `I2 nobody lives in the slot of ${session}`
  if (holder !== session && transmissions(carried).length > 0)
    return `I6 ${session} carries a call without its slot`
  if (holder !== session) return isIn(local, 'init', 'displaced') ? null : `I2 ${session} stays in ${where}`
  if (publicState(local) !== 'idle') return `I2 ${session} stays in ${where}`
  if (acquired.length > 0) return `devices: ${session} keeps what nothing needs`
  if (lost.some((medium) => shared.media[medium]?.tx))
    return `the contact says that ${session} speaks, whose capture has ended`
  if (!algebra.sameMedia(carried, shared.media))
    return `I5 the engines of ${session} carry something else than the contact's media`
  return shared.session[otherSlot(slot)] === null ? null : pendingFault(local)
}
