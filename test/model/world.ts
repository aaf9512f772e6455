/** What happens in a world: pages open, become others, write; worlds as short strings. */
import type { Entry, Fact, UnsentEntry, Slot } from '../../protocol/index.ts'
import type { Local, Production } from './local.ts'
import type { PendingKind } from './memory.ts'
import type { Budget } from './option.ts'
import { Pages } from './pages.ts'
import type { KnownLetter, Result } from './pages.ts'
import { freeSession, isGone, placeAt, refsIn, withPlace } from './places.ts'
import type { Place, Reached, World } from './places.ts'
import { Shared } from './shared.ts'
import type { KnownEntry } from './shared.ts'
import { tidied } from './tidy.ts'

const NOTHING: Budget = { commands: 0, faults: 0, hurries: 0, words: 0 }

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
  /** Which offers the SDK makes by itself; none without. */
  readonly pending?: PendingKind | undefined
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
    this.pages = new Pages(production, options.pending ?? null)
    this.shared = new Shared(production, options.pending ?? null)
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
    const { memory, phone } = world.head
    const read = { shared: world.head[slot], memory: memory[slot], phone }
    const { page, letters, fault } = this.pages.open(slot, freeSession(world, slot), read, isHolderGone)
    return {
      world: tidied(this, {
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
    return { world: tidied(this, withPlace(world, index, next)), fault, settled }
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
    return { world: tidied(this, { ...world, head, tail: [...world.tail, known] }), fault }
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
