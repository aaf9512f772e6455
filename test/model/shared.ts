/** The log's end: both folds of every entry, the telephone line, and what a new page reads of the log. */
import type { Entry, Fact, MediaOffer, SharedState, Slot } from '../../protocol/index.ts'
import { entryFault, mirrorFault } from './entry-checks.ts'
import type { PhoneState, Production } from './local.ts'
import { NO_MEMORY } from './memory.ts'
import type { Memory, PendingKind } from './memory.ts'
import { remembered } from './pending.ts'
import { heard, lineAfter, lineFault } from './phone.ts'
import type { Line } from './phone.ts'
import { Pool, called } from './pool.ts'

export interface KnownEntry {
  readonly id: number
  readonly entry: Entry
  readonly text: string
}

/** The folds of both parties at the end of the log. */
export interface Head {
  readonly id: number
  readonly visitor: SharedState
  readonly agent: SharedState
  readonly line: Line
  /** What a page that reads the log from the start knows of the telephone, and of offers to be made. */
  readonly phone: PhoneState | null
  readonly memory: Readonly<Record<Slot, Memory>>
}

export interface Appended {
  readonly head: Head
  readonly fact: Fact
  readonly fault: string | null
}

export class Shared {
  readonly #production: Production
  /** Which offers the SDK makes by itself. */
  readonly #pending: PendingKind | null
  readonly #heads = new Pool<Head>()
  readonly #entries = new Pool<KnownEntry>()
  readonly #byName = new Map<string, KnownEntry>()
  readonly #appended = new Map<string, Appended>()
  readonly start: Head
  /** The start of a contact whose first offer is nothing. */
  readonly silence: Head

  constructor(production: Production, pending: PendingKind | null) {
    this.#production = production
    this.#pending = pending
    const { initialSharedState } = production.protocol
    const start = (offer?: MediaOffer): Head =>
      this.#head({
        visitor: initialSharedState('visitor', offer),
        agent: initialSharedState('agent', offer),
        line: 'none',
        phone: null,
        memory: { visitor: NO_MEMORY, agent: NO_MEMORY },
      })
    this.start = start()
    this.silence = start({})
  }

  at = (id: number): Head => this.#heads.at(id)
  entryAt = (id: number): KnownEntry => this.#entries.at(id)
  /** An entry that is known by a shorter name. */
  named(name: string, make: () => Entry): KnownEntry {
    const known = this.#byName.get(name) ?? this.entry(make())
    this.#byName.set(name, known)
    return known
  }

  entry(entry: Entry): KnownEntry {
    const text = JSON.stringify(entry)
    return this.#entries.of(text, (id) => ({ id, entry, text }))
  }

  called = ({ visitor, agent, ...rest }: Head, from: string, to: string): Head =>
    this.#head({ ...rest, visitor: called(visitor, from, to), agent: called(agent, from, to) })
  calledEntry = (known: KnownEntry, from: string, to: string): KnownEntry =>
    known.text.includes(from) ? this.entry(called(known.entry, from, to)) : known

  append(head: Head, known: KnownEntry): Appended {
    const key = `${head.id} ${known.id}`
    const before = this.#appended.get(key)
    if (before) return before
    const { fold } = this.#production.protocol
    const { entry } = known
    const [visitor, agent] = [fold(head.visitor, entry), fold(head.agent, entry)]
    const { fact } = visitor
    const line = lineAfter(head.line, { state: visitor.state, fact, entry })
    const after = { visitor: visitor.state, agent: agent.state }
    const next = this.#head({
      ...after,
      line,
      phone: heard(this.#production, head.phone, { entry, fact }).phone,
      memory: {
        visitor: this.#remembered('visitor', head, { entry, fact, after: visitor.state }),
        agent: this.#remembered('agent', head, { entry, fact, after: agent.state }),
      },
    })
    const fault =
      mirrorFault(this.#production, after) ??
      entryFault(this.#production, { before: head, after: next }, entry, fact) ??
      lineFault(line, visitor.state)
    const appended = { head: next, fact, fault }
    this.#appended.set(key, appended)
    return appended
  }

  /** What the log alone tells a page that reads it from the start. */
  #remembered(
    slot: Slot,
    head: Head,
    read: { readonly entry: Entry; readonly fact: Fact; readonly after: SharedState },
  ): Memory {
    return remembered(
      this.#production,
      { memory: head.memory[slot], kind: this.#pending },
      { ...read, before: head[slot] },
      { slot, isDisplaced: false, isFirstDecided: false },
    )
  }

  #head(head: Omit<Head, 'id'>): Head {
    const { visitor, agent, line, phone, memory } = head
    return this.#heads.of(JSON.stringify([visitor, agent, line, phone, memory]), (id) => ({ ...head, id }))
  }
}
