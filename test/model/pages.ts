/** All page states met so far. The machine is pure: what an event does to one is worked out once. */
import { initialTransition } from 'xstate'
import type { MediaEvent } from '../../machines/index.ts'
import type { Entry, UnsentEntry, SharedState, Slot } from '../../protocol/index.ts'
import { FRESH, LIFETIMES, isIn, publicState, spoken, transmissions } from './local.ts'
import type { Life, Local, Outcome, Production } from './local.ts'
import { optionsOf } from './options.ts'
import type { Option } from './options.ts'
import { Pool, called } from './pool.ts'
import type { KnownEntry } from './shared.ts'
import { carryOut, send } from './turn.ts'
import { decided, verdictOfEntry } from './verdict.ts'

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

const CAPABILITIES = { Media: {}, Mobile: false }

export class Pages {
  readonly #production: Production
  readonly #pages = new Pool<Known>()
  readonly #letters = new Pool<KnownLetter>()
  readonly #sharedKeys = new WeakMap<SharedState, string>()
  readonly #sharedByKey = new Map<string, SharedState>()
  readonly #results = new Map<string, Result>()
  readonly #options = new Map<string, readonly Option[]>()

  constructor(production: Production) {
    this.#production = production
  }

  at = (id: number): Known => this.#pages.at(id)
  letterAt = (id: number): KnownLetter => this.#letters.at(id)
  get size(): number {
    return this.#pages.size
  }

  /** A new page: it has read the log up to `shared`, and announces itself. */
  open(slot: Slot, session: string, shared: SharedState, isHolderGone: boolean): Result {
    return this.#once(`${session} ${isHolderGone} ${this.#sharedKey(shared)}`, () => {
      const gone = isHolderGone ? shared.session[slot] : null
      const [snapshot, actions] = initialTransition(this.#production.machines.mediaMachine, {
        slot,
        session,
        capabilities: CAPABILITIES,
        offerLifetime: LIFETIMES[slot],
        shared,
        gone,
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
        succeeds: gone,
      }
      return carryOut(this.#production, local, actions)
    })
  }

  /** A page reads an entry. */
  read(page: Known, known: KnownEntry): Result {
    return this.#once(`${page.id}<${known.id}`, () => this.#reading(page.local, known))
  }

  /** Reading an entry neither changes a page nor makes it write: it may have read it at once. */
  ignores(page: Known, known: KnownEntry): boolean {
    const result = this.read(page, known)
    return result.page === page && result.letters.length === 0 && result.fault === null
  }

  #reading(local: Local, { entry }: KnownEntry): Outcome {
    const { protocol, machines } = this.#production
    const { state, fact } = protocol.fold(local.shared, entry)
    const news = machines.mediaFact({ before: local.shared, entry, fact, shared: state }, local)
    const cut = this.#cut(local, entry, state)
    const held =
      local.shared.session[local.slot] === local.session && state.session[local.slot] !== local.session
    const asked = state.phase.name === 'offered' ? local.asked : []
    const verdict = verdictOfEntry(local, { entry, fact, before: local.shared, after: state })
    const reading = {
      ...decided(local, verdict, fact.kind !== 'void' && verdict !== 'left'),
      shared: state,
      asked,
      succeeds: local.succeeds === state.session[local.slot] ? local.succeeds : null,
      window: held ? [] : [...new Set([...local.window, ...cut])],
    }
    const outcome = news ? send(this.#production, reading, news) : carryOut(this.#production, reading, [])
    const isOthers = entry.slot !== local.slot || entry.session !== local.session
    if (news && fact.kind === 'void' && isOthers)
      return { ...outcome, fault: `I10 a void entry of another is news for ${local.session}` }
    const heard = speaksUnasked(outcome.local)
    if (heard) return { ...outcome, fault: outcome.fault ?? heard }
    const isOver = entry.type === 'cleared' || (entry.type === 'transferred' && local.slot === 'agent')
    return isOver && !isIn(outcome.local, 'init', 'closed')
      ? { ...outcome, fault: `I2 the contact is over for ${local.session}, which goes on` }
      : outcome
  }

  /**
   * Own transmissions that the other's coming or going has cut, but for what the own user is about to turn
   * off.
   */
  #cut({ slot, session, shared, snapshot, verdict }: Local, entry: Entry, state: SharedState): string[] {
    const other =
      entry.type === 'present' ? entry.slot !== slot : entry.type === 'left' || entry.type === 'transferred'
    if (!other || shared.session[slot] !== session || state.session[slot] !== session) return []
    const { algebra } = this.#production.protocol
    const { own } = snapshot.context
    const after = transmissions(state.media)
    const cut = transmissions(shared.media).filter((one) => !after.includes(one))
    if (!own || verdict !== null) return cut
    const wanted = transmissions(
      own.entry.type === 'offer' ? algebra.mostOf(own.entry.body.offer) : own.entry.body.target,
    )
    return cut.filter((one) => wanted.includes(one))
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
      { type: 'engine.broke', media: this.#production.protocol.algebra.nativeOnly(shared.media), reason: '' },
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
    return this.#pages.of(this.#keyOf(local), (id) => ({
      id,
      local,
      refs: refsOf(local),
      sessions: sessionsOf(local),
    }))
  }

  #keyOf(local: Local): string {
    const {
      slot,
      session,
      life,
      snapshot,
      shared,
      timers,
      operation,
      carried,
      blurred,
      lost,
      gaveUp,
      acquired,
      dud,
      pending,
      asked,
      agreed,
      window,
      verdict,
      unheard,
    } = local
    if (life === 'closed' || life === 'gone' || life === 'hostile')
      return JSON.stringify([slot, session, life])
    const {
      capabilities: _same,
      ignored: _counter,
      slot: _slot,
      session: _session,
      shared: known,
      consent,
      window: open,
      prepared,
      lostCaptures,
      ...context
    } = snapshot.context
    const sets = [consent, open, prepared, lostCaptures, timers, agreed, window, acquired].map((one) =>
      one.toSorted(),
    )
    return JSON.stringify([
      slot,
      session,
      life,
      snapshot.value,
      context,
      this.#sharedKey(known),
      this.#sharedKey(shared),
      operation,
      carried,
      blurred,
      lost,
      gaveUp,
      dud,
      pending,
      asked,
      verdict,
      unheard,
      sets,
    ])
  }

  #sharedKey(shared: SharedState): string {
    const known = this.#sharedKeys.get(shared)
    if (known !== undefined) return known
    const key = JSON.stringify(shared)
    this.#sharedKeys.set(shared, key)
    return key
  }
}

const sessionsOf = ({ life, session, shared, snapshot }: Local): string[] =>
  life === 'live'
    ? ([shared.session, snapshot.context.shared.session]
        .flatMap(({ visitor, agent }) => [visitor, agent])
        .filter((one) => one !== null && one !== session) as string[])
    : []

/** The offers that a page can still compare something with, but for the one that it gave up. */
function refsOf({ life, snapshot, shared, operation, asked }: Local): number[] {
  if (life !== 'live') return []
  const { own, shared: known } = snapshot.context
  const phases = [known.phase, shared.phase].flatMap((phase) => (phase.name === 'idle' ? [] : [phase.ref]))
  return [
    ...new Set([
      ...phases,
      ...asked,
      ...(own?.ref ? [own.ref] : []),
      ...(operation?.ref ? [operation.ref] : []),
    ]),
  ]
}

/**
 * What is off in the contact as read is turned off at once, but for what a transition is about to turn on,
 * and while the own `present` is on its way (E1).
 */
function speaksUnasked(local: Local): string | null {
  const { slot, session, life, shared, carried, operation } = local
  const announces = isIn(local, 'init', 'reannouncing') && shared.session[slot] === session
  if (
    life !== 'live' ||
    operation ||
    announces ||
    isIn(local, 'init', 'closed') ||
    shared.phase.name === 'transiting'
  )
    return null
  const on = spoken(shared.media)
  return spoken(carried).some((one) => !on.includes(one))
    ? `engines: ${session} transmits what the contact says is off, and nothing is done about it`
    : null
}
