/** The world that the checker explores, and questions about it. */
import type { Slot } from '../../protocol/index.ts'
import { isIn } from './local.ts'
import type { Budget } from './option.ts'
import type { Known, KnownLetter } from './pages.ts'
import type { Head, KnownEntry } from './shared.ts'

/** A page at its place: what it wrote and the log does not have, and where it reads. */
export interface Place {
  readonly page: Known
  readonly outbox: readonly KnownLetter[]
  /** Position in `World.tail`. */
  readonly read: number
}

export interface World {
  readonly head: Head
  readonly places: readonly Place[]
  readonly tail: readonly KnownEntry[]
  readonly budget: Budget
}

/** A world, or the fault that came up on the way to it. */
export interface Reached {
  readonly world: World
  readonly fault: string | null
  readonly settled?: readonly string[]
}

/** The page takes part: it reads the log. */
export const reads = ({ page: { local } }: Place): boolean =>
  local.life === 'live' && !isIn(local, 'init', 'closed')

/** The world with another page at a place. */
export const withPlace = (world: World, index: number, place: Place): World => ({
  ...world,
  places: world.places.map((one, at) => (at === index ? place : one)),
})

/** A name that no page has, and nobody speaks of. */
export function freeSession(world: World, slot: Slot): string {
  for (let number = 0; ; number++) {
    const session = `${slot}${number}`
    if (!isSpokenOf(world, session) && !world.places.some(({ page }) => page.local.session === session))
      return session
  }
}

/** Somebody still speaks of the session. */
export const isSpokenOf = ({ head, tail, places }: World, session: string): boolean =>
  head.visitor.session.visitor === session ||
  head.visitor.session.agent === session ||
  tail.some(({ text }) => text.includes(session)) ||
  places.some(
    ({ page, outbox }) =>
      (page.local.session !== session && page.sessions.includes(session)) ||
      outbox.some(({ text }) => text.includes(session)),
  )

export const placeAt = ({ places }: Pick<World, 'places'>, index: number): Place => {
  const place = places[index]
  if (!place) throw new Error(`there is no page ${index}`)
  return place
}

/** Every offer that is still spoken of. */
export function refsIn({ head, places, tail }: World): Set<number> {
  const refs = new Set<number>()
  if (head.visitor.phase.name !== 'idle') refs.add(head.visitor.phase.ref)
  for (const { page, outbox } of places) {
    for (const ref of page.refs) refs.add(ref)
    for (const { letter } of outbox) if ('ref' in letter.body) refs.add(Number(letter.body.ref))
  }
  for (const { entry } of tail) {
    if (entry.seq > 0) refs.add(entry.seq)
    if ('ref' in entry.body) refs.add(Number(entry.body.ref))
  }
  return refs
}

/** Whether a session's page has no connection any more. */
export function isGone({ places }: World, session: string | null): boolean {
  const life = places.find(({ page: { local } }) => local.session === session)?.page.local.life
  return life === 'closed' || life === 'gone'
}
