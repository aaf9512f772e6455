/**
 * Worlds that differ in nothing that can still matter become one: read entries, names that nobody waits for and
 * numbers of offers that are over are left out.
 */
import type { Pages } from './pages.ts'
import { isSpokenOf, placeAt, reads, refsIn, withPlace } from './places.ts'
import type { Place, World } from './places.ts'
import type { KnownEntry, Shared } from './shared.ts'

/** What of the model it takes. */
interface Model {
  readonly pages: Pages
  readonly shared: Shared
  readonly options: { readonly remembers?: boolean }
  readonly watch: { readonly renamed: (from: string, to: string) => void } | null
}

/**
 * Leaves out what nothing can depend on any more: read entries, names that nobody waits for, numbers of
 * offers that are over.
 */
export function tidied(model: Model, world: World): World {
  const places = world.places.map((place) => skipped(model, world.tail, place))
  const head = places.reduce(
    (least, place) => (reads(place) && place.read < least ? place.read : least),
    world.tail.length,
  )
  const left: World = {
    ...world,
    tail: head > 0 ? world.tail.slice(head) : world.tail,
    places: head > 0 ? places.map((place) => ({ ...place, read: Math.max(0, place.read - head) })) : places,
  }
  return forgotten(
    model,
    places.reduce<World>((next, _, index) => tidiedAt(model, next, index), left),
  )
}

/** Leaves out a page that is gone and of which nobody speaks; the next one of its party takes its name. */
function forgotten(model: Model, world: World): World {
  if (model.options.remembers) return world
  const gone = world.places.find(
    ({ page: { local }, outbox }) =>
      local.life === 'gone' && outbox.length === 0 && !isSpokenOf(world, local.session),
  )
  if (!gone) return world
  const left = { ...world, places: world.places.filter((place) => place !== gone) }
  const { slot, session } = gone.page.local
  const heir = left.places
    .filter(({ page: { local } }) => local.slot === slot && local.session > session)
    .at(0)
  if (heir) model.watch?.renamed(heir.page.local.session, session)
  return forgotten(model, heir ? calledIn(model, left, heir.page.local.session, session) : left)
}

function calledIn({ pages, shared }: Model, world: World, from: string, to: string): World {
  return {
    ...world,
    head: shared.called(world.head, from, to),
    tail: world.tail.map((known) => shared.calledEntry(known, from, to)),
    places: world.places.map((place) => ({
      ...place,
      page: pages.called(place.page, from, to),
      outbox: place.outbox.map((known) => pages.calledLetter(known, from, to)),
    })),
  }
}

/** Reads over what means nothing to a page: it commutes with everything. */
function skipped(model: Model, tail: readonly KnownEntry[], place: Place): Place {
  if (!reads(place)) return place
  let { read } = place
  for (let next = tail[read]; next && model.pages.ignores(place.page, next); next = tail[read]) read++
  return read === place.read ? place : { ...place, read }
}

function tidiedAt(model: Model, world: World, index: number): World {
  const place = placeAt(world, index)
  const { life, session, snapshot } = place.page.local
  const isRead = (known: KnownEntry, at: number): boolean =>
    known.entry.id !== '' &&
    known.entry.slot !== 'service' &&
    known.entry.session === session &&
    (life !== 'live' || at < place.read)
  const tail = world.tail.some(isRead)
    ? world.tail.map((known, at) =>
        isRead(known, at)
          ? model.shared.named(`bare ${known.id}`, () => ({ ...known.entry, id: '' }))
          : known,
      )
    : world.tail
  const inLog = tail === world.tail ? world : { ...world, tail }
  if (life !== 'live') {
    const unnamed = place.outbox.some(({ letter }) => letter.id !== '')
      ? place.outbox.map(({ letter }) => model.pages.letter({ ...letter, id: '' }))
      : place.outbox
    return place.read === 0 && unnamed === place.outbox
      ? inLog
      : withPlace(inLog, index, { ...place, outbox: unnamed, read: 0 })
  }
  const { failed, written } = snapshot.context
  const named = renumbered(model, inLog, place)
  const given = failed !== null && refsIn(inLog).has(failed) ? failed : null
  const page = model.pages.renamed(place.page, named?.written ?? written, given)
  if (!named && page === place.page) return inLog
  return withPlace(named ? { ...inLog, tail: named.tail } : inLog, index, {
    ...place,
    outbox: named?.outbox ?? place.outbox,
    page,
  })
}

/** Numbers the entries that a page has on the way from 1. */
function renumbered(
  model: Model,
  { tail }: World,
  { page, outbox, read }: Place,
): (Pick<World, 'tail'> & Pick<Place, 'outbox'> & { readonly written: number }) | null {
  const { session, snapshot } = page.local
  const { written, own } = snapshot.context
  if (written === 0) return null
  const isOwn = (id: string): boolean => id.startsWith(`${session}.`)
  const ids = new Set(
    [...tail.slice(read).map(({ entry }) => entry.id), ...outbox.map(({ letter }) => letter.id)].filter(
      isOwn,
    ),
  )
  if (ids.size === written || (own !== null && isOwn(own.id))) return null
  const names = new Map(
    [...ids].toSorted((a, b) => numberOf(a) - numberOf(b)).map((id, at) => [id, `${session}.${at + 1}`]),
  )
  return {
    outbox: outbox.map((known) =>
      isOwn(known.letter.id)
        ? model.pages.letter({ ...known.letter, id: names.get(known.letter.id) ?? '' })
        : known,
    ),
    tail: tail.map((known) =>
      isOwn(known.entry.id)
        ? model.shared.entry({ ...known.entry, id: names.get(known.entry.id) ?? '' })
        : known,
    ),
    written: ids.size,
  }
}

const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1))
