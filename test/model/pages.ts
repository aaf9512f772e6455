/** All page states met so far. The machine is pure: what an event does to one is worked out once. */
import { initialTransition } from 'xstate'
import type { MediaEvent } from '../../machines/index.ts'
import type { UnsentEntry, SharedState, Slot } from '../../protocol/index.ts'
import { FRESH, LIFETIMES, isIn, publicState } from './local.ts'
import type { Life, Local, Outcome, PhoneState, Production } from './local.ts'
import type { Memory, PendingKind } from './memory.ts'
import { TALK } from './offers.ts'
import { optionsOf } from './options.ts'
import type { Option } from './option.ts'
import { keyOf, refsOf, sessionsOf } from './page-keys.ts'
import { Pool, called } from './pool.ts'
import { reading } from './reading.ts'
import type { KnownEntry } from './shared.ts'
import { carryOut, send } from './turn.ts'

/** A page state by its number. */
export interface Known {
  readonly id: number
  readonly local: Local
  /** Offers that it may still speak of. */
  readonly refs: readonly number[]
  /** The sessions that it knows of. */
  readonly sessions: readonly string[]
}

export interface KnownLetter {
  readonly id: number
  readonly letter: UnsentEntry
  readonly text: string
}

export interface Result {
  readonly page: Known
  readonly letters: readonly KnownLetter[]
  readonly fault: string | null
  readonly settled?: readonly string[]
}

/** What a new page has read of the log. */
export interface Read {
  readonly shared: SharedState
  readonly memory: Memory
  readonly phone: PhoneState | null
}

const CAPABILITIES = { Media: {}, Mobile: false }

export class Pages {
  readonly #production: Production
  /** Which offers the SDK makes by itself. */
  readonly #pending: PendingKind | null
  readonly #pages = new Pool<Known>()
  readonly #letters = new Pool<KnownLetter>()
  readonly #sharedKeys = new WeakMap<SharedState, string>()
  readonly #sharedByKey = new Map<string, SharedState>()
  readonly #results = new Map<string, Result>()
  readonly #options = new Map<string, readonly Option[]>()

  constructor(production: Production, pending: PendingKind | null) {
    this.#production = production
    this.#pending = pending
  }

  at = (id: number): Known => this.#pages.at(id)
  letterAt = (id: number): KnownLetter => this.#letters.at(id)
  get size(): number {
    return this.#pages.size
  }

  /** A new page: it has read the log up to `shared`, and announces itself. */
  open(slot: Slot, session: string, { shared, memory, phone }: Read, isHolderGone: boolean): Result {
    const key = `${session} ${isHolderGone} ${this.#sharedKey(shared)} ${JSON.stringify([memory, phone])}`
    return this.#once(key, () => {
      const gone = isHolderGone ? shared.session[slot] : null
      const [snapshot, actions] = initialTransition(this.#production.machines.mediaMachine, {
        slot,
        session,
        capabilities: CAPABILITIES,
        offerLifetime: LIFETIMES[slot],
        shared,
        gone,
        firstOffer: memory.isFirstDue ? TALK : null,
      })
      const carried = this.#production.protocol.algebra.nativeOnly(shared.media)
      const local: Local = {
        ...FRESH,
        slot,
        session,
        life: 'live',
        snapshot,
        shared,
        carried,
        memory,
        phone,
        succeeds: gone,
      }
      return carryOut(this.#production, local, actions)
    })
  }

  /** A page reads an entry. */
  read(page: Known, known: KnownEntry): Result {
    return this.#once(`${page.id}<${known.id}`, () =>
      reading(this.#production, page.local, known.entry, this.#pending),
    )
  }

  /** Reading an entry neither changes a page nor makes it write: it may have read it at once. */
  ignores(page: Known, known: KnownEntry): boolean {
    const result = this.read(page, known)
    return result.page === page && result.letters.length === 0 && result.fault === null
  }

  /** Something happens to a page: first `change`, then the machine gets `event`. */
  happen(
    page: Known,
    name: string,
    change: Partial<Local>,
    event: MediaEvent | { readonly type: string } | null,
  ): Result {
    return this.#once(`${page.id}:${name}`, () => {
      const local = { ...page.local, ...change }
      if (!event) return { local, letters: [], fault: null, settled: [] }
      const outcome = send(this.#production, local, event)
      const ignored = outcome.local.snapshot.context.ignored > local.snapshot.context.ignored
      return ignored && /^app (?!answers|rejects)/.test(name)
        ? { ...outcome, fault: `commands: ${local.session} ignores that its ${name}` }
        : outcome
    })
  }

  /** What a page may do by itself; `name` is free for the offer that its application might make. */
  options(page: Known, name: string): readonly Option[] {
    const key = `${page.id}?${publicState(page.local) === 'idle' ? name : ''}`
    const known = this.#options.get(key)
    if (known) return known
    const options = optionsOf(this.#production, page.local, name)
    this.#options.set(key, options)
    return options
  }

  /** The page leaves: nothing may be left running or pending. */
  leave(page: Known): Result {
    const {
      page: left,
      letters,
      fault,
      settled = [],
    } = this.happen(page, 'leaves', {}, { type: 'contact.leave' })
    const { session, pending, operation } = left.local
    const rest =
      pending.length > 0
        ? `I3 ${session} has left with an offer pending`
        : operation
          ? `I2 ${session} has left with its engines running`
          : null
    return {
      page: this.end(left, 'closed').page,
      letters,
      settled,
      fault: fault ?? rest ?? this.#awoken(left.local),
    }
  }

  /** Engines may speak and entries come after a page has left: they change nothing. */
  #awoken(local: Local): string | null {
    const { shared } = local
    const late = [
      {
        type: 'engine.broke',
        engines: ['WebRTC'],
        media: this.#production.protocol.algebra.nativeOnly(shared.media),
        reason: '',
      },
      { type: 'log.slotLost', shared },
      { type: 'log.refused', id: '', code: 'left', reason: '' },
    ] as const
    const wakes = late.find((event) => {
      const after = send(this.#production, local, event)
      return (
        after.letters.length > 0 || after.local.operation !== null || !isIn(after.local, 'init', 'closed')
      )
    })
    return wakes ? `I2 ${local.session} has left, and ${wakes.type} makes it go on` : null
  }

  /** The page without its machine. */
  end(page: Known, life: Life): Result {
    return this.#once(`${page.id}!${life}`, () => ({
      local: { ...page.local, ...FRESH, life },
      letters: [],
      fault: null,
      settled: [],
    }))
  }

  /** The page with other counters: nothing depends on them but whether they are equal. */
  renamed(page: Known, written: number, failed: number | null): Known {
    const { context } = page.local.snapshot
    if (context.written === written && context.failed === failed) return page
    return this.#once(`${page.id} ${written} ${failed ?? ''}`, () => ({
      local: {
        ...page.local,
        snapshot: { ...page.local.snapshot, context: { ...context, written, failed } },
      },
      letters: [],
      fault: null,
      settled: [],
    })).page
  }

  letter(letter: UnsentEntry): KnownLetter {
    const text = JSON.stringify(letter)
    return this.#letters.of(text, (id) => ({ id, letter, text }))
  }

  /** The same page where the session `from` is called `to`. */
  called(page: Known, from: string, to: string): Known {
    const known = (shared: SharedState): SharedState => this.#same(called(shared, from, to))
    return this.#once(`${page.id} ${from}=${to}`, () => {
      const { snapshot, shared, ...rest } = page.local
      const { shared: read, ...context } = snapshot.context
      return {
        local: {
          ...called(rest, from, to),
          shared: known(shared),
          snapshot: { ...snapshot, context: { ...called(context, from, to), shared: known(read) } },
        },
        letters: [],
        fault: null,
        settled: [],
      }
    }).page
  }

  calledLetter = (known: KnownLetter, from: string, to: string): KnownLetter =>
    known.text.includes(from) ? this.letter(called(known.letter, from, to)) : known

  /** One object for equal states: the machine hands on what it was given. */
  #same(shared: SharedState): SharedState {
    const key = JSON.stringify(shared)
    const known = this.#sharedByKey.get(key) ?? shared
    this.#sharedByKey.set(key, known)
    return known
  }

  #once(key: string, work: () => Outcome): Result {
    const known = this.#results.get(key)
    if (known) return known
    const result = this.#known(work())
    this.#results.set(key, result)
    return result
  }

  /** Only the names of what is looked for again are kept. */
  #known({ local, letters, fault, settled }: Outcome): Result {
    const named = letters.map((letter) =>
      letter.type === 'present' || letter.type === 'offer' || letter.type === 'direct'
        ? letter
        : { ...letter, id: '' },
    )
    return { page: this.#page(local), letters: named.map((letter) => this.letter(letter)), fault, settled }
  }

  #page(local: Local): Known {
    return this.#pages.of(
      keyOf(local, (shared) => this.#sharedKey(shared)),
      (id) => ({
        id,
        local,
        refs: refsOf(local),
        sessions: sessionsOf(local),
      }),
    )
  }

  #sharedKey(shared: SharedState): string {
    const known = this.#sharedKeys.get(shared)
    if (known !== undefined) return known
    const key = JSON.stringify(shared)
    this.#sharedKeys.set(shared, key)
    return key
  }
}
