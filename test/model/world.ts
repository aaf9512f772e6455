/**
 * The world that the checker explores: pages, their outboxes, the part of the log that somebody has yet to
 * read, and its folds.
 */
import type { Entry, Fact, UnsentEntry, Slot } from '../../protocol/index.ts'
import { isIn } from './local.ts'
import type { Local, Production } from './local.ts'
import type { Budget } from './options.ts'
import { Pages } from './pages.ts'
import type { Known, KnownLetter, Result } from './pages.ts'
import { Shared } from './shared.ts'
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

const NOTHING: Budget = { commands: 0, faults: 0, hurries: 0, words: 0 }

export const reads = ({ page: { local } }: Place): boolean =>
  local.life === 'live' && !isIn(local, 'init', 'closed')

export interface ModelOptions {
  /** What costs something happens only if its name is allowed. */
  readonly allows: (name: string) => boolean
  /** A hostile service: it writes in the name of the honest party, too. */
  readonly forged: boolean
  /**
   * Pages that are gone keep their names: a run can then be written down by them, and fewer situations are
   * equal.
   */
  readonly remembers?: boolean
}

/** Hears what happens while a step is taken. */
export interface Watch {
  /** The session `from` is called `to` from now on. */
  readonly renamed: (from: string, to: string) => void
  readonly appended: (entry: Entry, fact: Fact) => void
}

export class Model {
  readonly production: Production
  readonly pages: Pages
  readonly shared: Shared

  readonly options: ModelOptions
  watch: Watch | null = null

  constructor(production: Production, options: ModelOptions) {
    this.production = production
    this.options = options
    this.pages = new Pages(production)
    this.shared = new Shared(production)
  }

  get empty(): World {
    return { head: this.shared.start, places: [], tail: [], budget: NOTHING }
  }

  /** A new page of a party: it reads the whole log, then announces itself. */
  open(
    world: World,
    slot: Slot,
    isHolderGone: boolean = isGone(world, world.head.visitor.session[slot]),
  ): Reached {
    const { page, letters, fault } = this.pages.open(
      slot,
      freeSession(world, slot),
      world.head[slot],
      isHolderGone,
    )
    return {
      world: this.#tidy({
        ...world,
        places: [...world.places, { page, outbox: letters, read: world.tail.length }],
      }),
      fault,
    }
  }

  /** A page has become another, and has written. */
  became(
    world: World,
    index: number,
    { page, letters, fault, settled = [] }: Result,
    change: Partial<Place> = {},
  ): Reached {
    const place = placeAt(world, index)
    const next = {
      ...place,
      page,
      outbox: letters.length > 0 ? [...place.outbox, ...letters] : place.outbox,
      ...change,
    }
    return { world: this.#tidy(withPlace(world, index, next)), fault, settled }
  }

  /** The first entry of a page's outbox enters the log. */
  deliver(world: World, index: number): Reached {
    const place = placeAt(world, index)
    const [first, ...outbox] = place.outbox
    if (!first) return { world, fault: null }
    const seq = first.letter.type === 'offer' || first.letter.type === 'direct' ? this.freeRef(world) : 0
    const { local } = place.page
    return this.append(
      withPlace(world, index, { ...place, outbox }),
      this.shared.named(`${first.id} ${local.session} ${seq}`, () => this.#wire(local, first.letter, seq)),
    )
  }

  append(world: World, known: KnownEntry): Reached {
    const { head, fact, fault } = this.shared.append(world.head, known)
    this.watch?.appended(known.entry, fact)
    return { world: this.#tidy({ ...world, head, tail: [...world.tail, known] }), fault }
  }

  /**
   * An entry as the outbox sends it: media relative to the other side. Only offers need their number; it is
   * the smallest that nobody speaks of.
   */
  #wire(local: Local, letter: UnsentEntry, seq: number): Entry {
    const { algebra } = this.production.protocol
    const entry = {
      ...letter,
      seq,
      time: 0,
      slot: local.slot,
      session: local.session,
      counter: 1,
      from: { id: local.session },
    }
    if (entry.type === 'offer')
      return { ...entry, body: { ...entry.body, offer: algebra.swapOffer(entry.body.offer) } }
    if (entry.type === 'direct')
      return { ...entry, body: { ...entry.body, target: algebra.swap(entry.body.target) } }
    if (entry.type === 'answer')
      return { ...entry, body: { ...entry.body, answer: algebra.swap(entry.body.answer) } }
    return entry
  }

  /** A name for an offer of a page's application. */
  freeName({ tail }: World, { page: { local }, outbox }: Place): string {
    const { own } = local.snapshot.context
    for (let number = 1; ; number++) {
      const id = `${local.session}:${number}`
      if (
        own?.id !== id &&
        !local.pending.includes(id) &&
        !outbox.some(({ letter }) => letter.id === id) &&
        !tail.some(({ entry }) => entry.id === id)
      )
        return id
    }
  }

  freeRef(world: World): number {
    const used = refsIn(world)
    for (const { page } of world.places)
      if (page.local.life === 'live' && page.local.snapshot.context.failed)
        used.add(page.local.snapshot.context.failed)
    let free = 1
    while (used.has(free)) free++
    return free
  }

  /**
   * Leaves out what nothing can depend on any more: read entries, names that nobody waits for, numbers of
   * offers that are over.
   */
  #tidy(world: World): World {
    const places = world.places.map((place) => this.#skipped(world.tail, place))
    const head = places.reduce(
      (least, place) => (reads(place) && place.read < least ? place.read : least),
      world.tail.length,
    )
    const tidied: World = {
      ...world,
      tail: head > 0 ? world.tail.slice(head) : world.tail,
      places: head > 0 ? places.map((place) => ({ ...place, read: Math.max(0, place.read - head) })) : places,
    }
    return this.#forgotten(places.reduce<World>((next, _, index) => this.#tidyPlace(next, index), tidied))
  }

  /** Leaves out a page that is gone and of which nobody speaks; the next one of its party takes its name. */
  #forgotten(world: World): World {
    if (this.options.remembers) return world
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
    if (heir) this.watch?.renamed(heir.page.local.session, session)
    return this.#forgotten(heir ? this.#called(left, heir.page.local.session, session) : left)
  }

  #called(world: World, from: string, to: string): World {
    const { pages, shared } = this
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
  #skipped(tail: readonly KnownEntry[], place: Place): Place {
    if (!reads(place)) return place
    let { read } = place
    for (let next = tail[read]; next && this.pages.ignores(place.page, next); next = tail[read]) read++
    return read === place.read ? place : { ...place, read }
  }

  #tidyPlace(world: World, index: number): World {
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
            ? this.shared.named(`bare ${known.id}`, () => ({ ...known.entry, id: '' }))
            : known,
        )
      : world.tail
    const inLog = tail === world.tail ? world : { ...world, tail }
    if (life !== 'live') {
      const unnamed = place.outbox.some(({ letter }) => letter.id !== '')
        ? place.outbox.map(({ letter }) => this.pages.letter({ ...letter, id: '' }))
        : place.outbox
      return place.read === 0 && unnamed === place.outbox
        ? inLog
        : withPlace(inLog, index, { ...place, outbox: unnamed, read: 0 })
    }
    const { failed, written } = snapshot.context
    const named = this.#renumbered(inLog, place)
    const given = failed !== null && refsIn(inLog).has(failed) ? failed : null
    const page = this.pages.renamed(place.page, named?.written ?? written, given)
    if (!named && page === place.page) return inLog
    return withPlace(named ? { ...inLog, tail: named.tail } : inLog, index, {
      ...place,
      outbox: named?.outbox ?? place.outbox,
      page,
    })
  }

  /** Numbers the entries that a page has on the way from 1. */
  #renumbered(
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
          ? this.pages.letter({ ...known.letter, id: names.get(known.letter.id) ?? '' })
          : known,
      ),
      tail: tail.map((known) =>
        isOwn(known.entry.id)
          ? this.shared.entry({ ...known.entry, id: names.get(known.entry.id) ?? '' })
          : known,
      ),
      written: ids.size,
    }
  }

  /** A world without its budget as a short string: equal situations have equal strings. */
  encode({ head, places, tail }: World): string {
    const codes = [head.id & 0x7fff, head.id >> 15, places.length]
    for (const { page, outbox, read } of places) {
      codes.push(page.id & 0x7fff, page.id >> 15, read, outbox.length)
      for (const { id } of outbox) codes.push(id)
    }
    for (const { id } of tail) codes.push(id)
    return String.fromCharCode(...codes)
  }

  decode(key: string, budget: Budget): World {
    let at = 0
    const next = (): number => key.charCodeAt(at++)
    const head = this.shared.at(next() | (next() << 15))
    const places: Place[] = []
    for (let left = next(); left > 0; left--) {
      const page = this.pages.at(next() | (next() << 15))
      const read = next()
      const outbox: KnownLetter[] = []
      for (let letters = next(); letters > 0; letters--) outbox.push(this.pages.letterAt(next()))
      places.push({ page, outbox, read })
    }
    const tail: KnownEntry[] = []
    while (at < key.length) tail.push(this.shared.entryAt(next()))
    return { head, places, tail, budget }
  }
}

const withPlace = (world: World, index: number, place: Place): World => ({
  ...world,
  places: world.places.map((one, at) => (at === index ? place : one)),
})

/** A name that no page has, and nobody speaks of. */
function freeSession(world: World, slot: Slot): string {
  for (let number = 0; ; number++) {
    const session = `${slot}${number}`
    if (!isSpokenOf(world, session) && !world.places.some(({ page }) => page.local.session === session))
      return session
  }
}

const isSpokenOf = ({ head, tail, places }: World, session: string): boolean =>
  head.visitor.session.visitor === session ||
  head.visitor.session.agent === session ||
  tail.some(({ text }) => text.includes(session)) ||
  places.some(
    ({ page, outbox }) =>
      (page.local.session !== session && page.sessions.includes(session)) ||
      outbox.some(({ text }) => text.includes(session)),
  )

const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1))

export const placeAt = ({ places }: Pick<World, 'places'>, index: number): Place => {
  const place = places[index]
  if (!place) throw new Error(`there is no page ${index}`)
  return place
}

/** Every offer that is still spoken of. */
function refsIn({ head, places, tail }: World): Set<number> {
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
