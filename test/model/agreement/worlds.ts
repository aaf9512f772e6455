/** Where the searches begin, and a party after its moves. */
import type { Draft, Slot } from '../../../protocol/index.ts'
import type { Production } from './load.ts'
import { Secrets, entryOf, isHappening } from './moves.ts'
import type { Move } from './moves.ts'
import type { StoredKey, Page } from './page.ts'
import { Party } from './party.ts'
import { nameOf } from './symbols.ts'

export type WorldName =
  | 'first'
  | 'resumed'
  | 'discarded'
  | 'signed'
  | 'signed and discarded'
  | 'accepted'
  | 'transferred'
  | 'returned'
  | 'second tabs'

/** What everybody sees of a page. */
export interface PageView {
  readonly contact: string
  readonly phase: string
  /** Sessions that hold the slots in its log, and its own one. */
  readonly holders: Readonly<Record<Slot, string | null>>
  readonly session: string
  /** Ids of what it has read. */
  readonly read: readonly string[]
  readonly state: string
  readonly code: string | null
  readonly key: string | null
  /** Its tab's keys. */
  readonly ring: readonly StoredKey[]
  readonly isSecured: boolean
  readonly mayRelay: boolean
}

/** What everybody sees of a party after its moves; of its pages, the newest. */
export interface View extends PageView {
  readonly slot: Slot
  readonly written: readonly Draft[]
  /** Ids of the keys of all its tabs. */
  readonly keys: readonly string[]
  /** All its pages, the newest last. */
  readonly pages: readonly PageView[]
  /** Ids of keys that its user has accepted without comparing. */
  readonly accepted: readonly string[]
  /** Ids of keys that its user has compared. */
  readonly compared: readonly string[]
  /** Secrets by public keys, base64 and hexadecimal. */
  readonly pairs: readonly { readonly publicKey: string; readonly secret: string }[]
}

export interface Moves {
  readonly visitor: readonly Move[]
  readonly agent: readonly Move[]
}

/** What the searches of one world share. */
export class World {
  readonly production: Production
  readonly name: WorldName
  readonly secrets: Secrets
  readonly #views = new Map<string, Promise<View | null>>()

  constructor(production: Production, name: WorldName) {
    this.production = production
    this.name = name
    this.secrets = new Secrets(production)
  }

  get isSigned(): boolean {
    return this.name.startsWith('signed')
  }

  /** How many histories of a party were met. */
  get histories(): number {
    return this.#views.size
  }

  /** A party after its moves; null where one of them cannot be. */
  view(slot: Slot, moves: readonly Move[]): Promise<View | null> {
    const key = `${slot} ${JSON.stringify(moves)}`
    const known = this.#views.get(key) ?? this.#played(slot, moves)
    this.#views.set(key, known)
    return known
  }

  async #played(slot: Slot, moves: readonly Move[]): Promise<View | null> {
    const { production, isSigned } = this
    const party = await new Party({ production, slot, isSigned }).settled()
    let said = { accepted: [] as string[], compared: [] as string[] }
    for (const move of moves) {
      // The next agent is another person.
      if (move.do === 'transferred' && slot === 'agent') said = { accepted: [], compared: [] }
      if (move.do === 'accepted' || move.do === 'compared') {
        const page = party.pages[move.tab ?? party.pages.length - 1]
        if (!page?.key || page.verification.code === null) return null
        said[move.do].push(page.key)
      }
      if (isHappening(move)) await party.happen(move.do, move.tab)
      else if (!(await this.#read(party, move))) return null
    }
    return { ...viewOf(party), ...said }
  }

  /** Each page that is meant reads the entry; false where it cannot be made for any of them. */
  async #read(party: Party, move: Move): Promise<boolean> {
    const { production, secrets } = this
    const pages = move.tab === undefined ? party.pages : party.pages.slice(move.tab, move.tab + 1)
    let wasRead = false
    for (const page of pages) {
      const entry = entryOf(production, secrets, { party, page }, move)
      if (!entry) continue
      page.read(entry)
      wasRead = true
    }
    await party.settled()
    return wasRead
  }
}

const viewOfPage = (page: Page): PageView => {
  const { keys, shared } = page.state
  const { state, code } = page.verification
  return {
    contact: page.contact,
    phase: keys?.name ?? '',
    holders: shared.session,
    session: page.session,
    read: page.entries.map(({ id }) => id),
    state,
    code: code?.digits ?? null,
    key: page.key,
    ring: page.ring,
    isSecured: page.isSecured,
    mayRelay: page.mayRelay,
  }
}

const viewOf = (party: Party): Omit<View, 'accepted' | 'compared'> => ({
  ...viewOfPage(party.front),
  slot: party.slot,
  written: [...party.written],
  keys: party.pages.flatMap(({ ring }) => ring.map(({ id }) => id)),
  pages: party.pages.map(viewOfPage),
  pairs: [...party.pairs].map(([publicKey, secret]) => ({
    publicKey: Buffer.from(publicKey, 'hex').toString('base64'),
    secret,
  })),
})

/** What one party has written and the other has not read, in order. */
const unread = (from: View, to: View): readonly Draft[] =>
  from.written.filter(({ id }) => !to.read.includes(id))

/** What this page of a party has written and not read back. What an earlier page wrote is lost. */
export const unsent = (own: View): readonly Draft[] =>
  unread(own, own).filter(({ session }) => session === own.session)

/** Nobody attacks, and the parties do not agree. */
export class Stuck extends Error {}

/** Both logs are the same and whole, until nothing is left to be read. */
async function honest(
  world: World,
  start: Moves,
  until: (visitor: View, agent: View) => boolean,
): Promise<Moves> {
  let moves = start
  for (;;) {
    const [visitor, agent] = [
      await world.view('visitor', moves.visitor),
      await world.view('agent', moves.agent),
    ]
    if (!visitor || !agent) throw new Stuck('an honest run cannot be played')
    if (until(visitor, agent)) return moves
    const [mine, theirs] = [unsent(visitor)[0], unsent(agent)[0]]
    if (mine)
      moves = {
        visitor: [...moves.visitor, { do: 'own' }],
        agent: [...moves.agent, { do: 'genuine', draft: mine }],
      }
    else if (theirs)
      moves = {
        visitor: [...moves.visitor, { do: 'genuine', draft: theirs }],
        agent: [...moves.agent, { do: 'own' }],
      }
    else throw new Stuck('an honest run does not get there')
  }
}

const both = ({ visitor, agent }: Moves, move: Move): Moves => ({
  visitor: [...visitor, move],
  agent: [...agent, move],
})

/** Where a search begins. */
export interface Start {
  readonly moves: Moves
  /** Secrets that the service has learned. */
  readonly learned: readonly string[]
  /** What is wrong after the same start where nobody attacks; null: nothing. */
  readonly fault?: string | null
  /** The end where nobody attacks. */
  readonly honest?: Moves
}

const NOTHING: Moves = { visitor: [], agent: [] }

const isAgreed = (visitor: View, agent: View): boolean =>
  visitor.key !== null && agent.key !== null && unsent(visitor).length === 0 && unsent(agent).length === 0

/** Both have compared their codes. */
const verified = async (world: World): Promise<Moves> =>
  both(await honest(world, NOTHING, isAgreed), { do: 'compared' })

/** A start after which the keys of all pages are verified so far where nobody attacks. */
async function startWithHonest(
  world: World,
  moves: Moves,
  expected: Readonly<Record<Slot, string>>,
): Promise<Start> {
  const end = await honest(world, moves, isAgreed)
  for (const slot of ['visitor', 'agent'] as const) {
    const pages = (await world.view(slot, end[slot]))?.pages ?? []
    const wrong = pages.find(({ state }) => state !== expected[slot])
    if (!wrong) continue
    const fault = `nobody attacks, and the key of the ${slot} is ${wrong.state}, not ${expected[slot]}`
    return { moves: end, learned: [], fault }
  }
  return { moves, learned: [], honest: end }
}

/** The moves before a search. */
export async function startOf(world: World): Promise<Start> {
  switch (world.name) {
    case 'first':
    case 'signed':
      return { moves: NOTHING, learned: [] }
    case 'resumed':
    case 'accepted': {
      const moves = both(await verified(world), { do: 'reload' })
      const expected = { visitor: 'verified', agent: 'verified' }
      return startWithHonest(world, moves, expected)
    }
    case 'transferred':
    case 'returned':
    case 'second tabs': {
      const happening = world.name === 'second tabs' ? 'opened' : world.name
      const moves = both(await verified(world), { do: happening })
      const expected =
        world.name === 'transferred'
          ? { visitor: 'changed', agent: 'unverified' }
          : { visitor: 'verified', agent: 'verified' }
      return startWithHonest(world, moves, expected)
    }
    case 'discarded':
    case 'signed and discarded': {
      const isShared = (_visitor: View, agent: View): boolean =>
        agent.written.some(({ type }) => type === 'keyShare') && agent.phase === 'committed'
      const begun = both(await honest(world, NOTHING, isShared), { do: 'reload' })
      const [visitor, agent] = [
        await world.view('visitor', begun.visitor.slice(0, -1)),
        await world.view('agent', begun.agent.slice(0, -1)),
      ]
      return {
        moves: begun,
        learned: [...(visitor?.pairs ?? []), ...(agent?.pairs ?? [])].map(({ secret }) => secret),
      }
    }
  }
}

export { nameOf, unread }
