/**
 * Every log that the service can show to each party, within bounds, and what must hold of the two parties in each
 * of these worlds.
 */
import type { Slot } from '../../../protocol/index.ts'
import { isOnce, isSame, othersOf, perTab, usersOf } from './choices.ts'
import { faultOf } from './faults.ts'
import { derived } from './load.ts'
import type { Production } from './load.ts'
import type { Forged, Move, Signature } from './moves.ts'
import { isKnownShared } from './symbols.ts'
import { Stuck, World, nameOf, startOf, unread, unsent } from './worlds.ts'
import type { Moves, Start, View, WorldName } from './worlds.ts'

export interface Bounds {
  /** Most moves of each party after the start. */
  readonly visitor: number
  readonly agent: number
  /** Most worlds. */
  readonly worlds: number
}

export interface Found {
  readonly world: WorldName
  readonly worlds: number
  readonly histories: number
  /** Worlds in which both parties have the same key and compare equal codes. */
  readonly agreements: number
  readonly isComplete: boolean
  readonly fault: string | null
  readonly moves: Moves | null
}

const PUBLIC = (view: View): ReadonlySet<string> =>
  new Set(
    view.written.flatMap(({ body }) => ('key' in body && typeof body.key === 'string' ? [body.key] : [])),
  )

export async function search(production: Production, name: WorldName, bounds: Bounds): Promise<Found> {
  const world = new World(production, name)
  const start = await startOf(world).catch((thrown: unknown) => {
    if (thrown instanceof Stuck)
      return { moves: { visitor: [], agent: [] }, learned: [], fault: thrown.message }
    throw thrown
  })
  return new Search(world, start).run(bounds)
}

/**
 * What happens at once, as nothing depends on when it does: sessions come, the visitor commits. The agent comes
 * when a commit stands, so that both logs can be the same.
 */
function forced(own: View, other: View): Move | null {
  if (own.state === 'broken') return null
  const [next] = unsent(own)
  const isAgent = own.slot === 'agent'
  const holder = own.holders[other.slot]
  const draft = unread(other, own).findLast(
    ({ type, session }) => type === 'present' && session === other.session,
  )
  const isNew = draft !== undefined && draft.session !== holder
  if (isAgent && isNew) return { do: 'genuine', draft }
  const isOpen = !isAgent || own.phase === 'committed'
  if (next?.type === 'present' && isOpen && own.holders[own.slot] !== next.session) return { do: 'own' }
  if (next?.type === 'keyCommit' && own.phase === 'none') return { do: 'own' }
  if (isAgent || own.phase !== 'committed' || holder !== null) return null
  return isNew ? { do: 'genuine', draft } : { do: 'present' }
}

class Search {
  readonly #world: World
  readonly #start: Moves
  readonly #known: ReadonlySet<string>
  /** Public keys of pairs that were discarded. */
  #learned: readonly string[] = []
  readonly #secrets: readonly string[]
  readonly #startFault: string | null
  readonly #honest: Moves

  constructor(world: World, { moves, learned, honest, fault = null }: Start) {
    this.#world = world
    this.#start = moves
    this.#startFault = fault
    this.#honest = honest ?? moves
    this.#secrets = learned
    this.#known = new Set([...learned, ...world.secrets.all.map(nameOf)])
  }

  async run(bounds: Bounds): Promise<Found> {
    const ended = await this.#views(this.#honest)
    const wrong = this.#startFault ?? (ended && (await this.#fault(this.#honest, ended)))
    if (wrong) return this.#end({ fault: wrong, moves: this.#honest })
    const seen = new Set<string>()
    const queue: Moves[] = [this.#start]
    let agreements = 0
    for (let at = 0; at < queue.length; at++) {
      const moves = queue[at] as Moves
      const views = await this.#views(moves)
      if (!views) continue
      const fault = await this.#fault(moves, views)
      if (fault) return this.#end({ worlds: at + 1, agreements, fault, moves })
      if (views.visitor.key !== null && views.visitor.key === views.agent.key) agreements++
      if (at >= bounds.worlds) return this.#end({ worlds: at + 1, agreements, isComplete: false })
      for (const next of this.#next(moves, views, bounds)) {
        const key = JSON.stringify(next)
        if (seen.has(key)) continue
        seen.add(key)
        queue.push(next)
      }
    }
    return this.#end({ worlds: queue.length, agreements })
  }

  #end(found: Partial<Found>): Found {
    return {
      world: this.#world.name,
      worlds: 0,
      histories: this.#world.histories,
      agreements: 0,
      isComplete: true,
      fault: null,
      moves: null,
      ...found,
    }
  }

  async #views(moves: Moves): Promise<{ readonly visitor: View; readonly agent: View } | null> {
    const visitor = await this.#world.view('visitor', moves.visitor)
    const agent = await this.#world.view('agent', moves.agent)
    if (visitor && this.#learned.length === 0)
      this.#learned = [...visitor.pairs, ...(agent?.pairs ?? [])]
        .filter(({ secret }) => this.#secrets.includes(secret))
        .map(({ publicKey }) => publicKey)
    return visitor && agent ? { visitor, agent } : null
  }

  #next(
    moves: Moves,
    views: { readonly visitor: View; readonly agent: View },
    bounds: Bounds,
  ): readonly Moves[] {
    const slots = ['visitor', 'agent'] as const
    for (const slot of slots) {
      const move = forced(views[slot], views[slot === 'visitor' ? 'agent' : 'visitor'])
      if (move) return [{ ...moves, [slot]: [...moves[slot], move] }]
    }
    return slots.flatMap((slot) => {
      const own = views[slot]
      const other = views[slot === 'visitor' ? 'agent' : 'visitor']
      if (own.state === 'broken' || moves[slot].length - this.#start[slot].length >= bounds[slot]) return []
      const isLate =
        other.key !== null && this.#knows(other.key) && PUBLIC(own).has(own.pairs.at(-1)?.publicKey ?? '')
      const entries = slot === 'visitor' ? this.#forVisitor(own, other) : this.#forAgent(own, other)
      const choices = [
        ...perTab(own, entries),
        ...othersOf(this.#world.name, own),
        ...usersOf(this.#world.name, own),
      ]
      const done = moves[slot].slice(this.#start[slot].length)
      return [...choices, ...(isLate ? [{ do: 'filler' } as const] : [])].flatMap((move) => {
        if (isOnce(move) && done.some((one) => isSame(one, move))) return []
        const isChoice = move.do === 'share' || move.do === 'reveal' || move.do === 'filler'
        return [{ ...moves, [slot]: [...moves[slot], isLate && isChoice ? { ...move, isLate } : move] }]
      })
    })
  }

  #forVisitor(own: View, other: View): readonly Move[] {
    const shares = other.written.flatMap((draft) => (draft.type === 'keyShare' ? [draft] : []))
    const commit = own.written.findLast(({ type }) => type === 'keyCommit')
    const resumes = commit?.type === 'keyCommit' ? (commit.body.resume ?? []).slice(0, 1) : []
    const signatures = shares.flatMap(({ body: { signer, signature } }): Signature[] =>
      signer !== undefined && signature !== undefined ? [{ signer, signature }] : [],
    )
    const keys = [
      this.#world.secrets.publicOf('s1'),
      this.#world.secrets.publicOf('zero'),
      ...this.#learned,
      ...PUBLIC(own),
    ]
    const forged = keys.flatMap((key) =>
      [undefined, ...resumes].flatMap((resume) =>
        [undefined, ...signatures].map((signed): Move => ({
          do: 'share',
          key,
          ...(resume !== undefined && { resume }),
          ...(signed && { signed }),
        })),
      ),
    )
    const isOpen = own.phase === 'committed' && own.holders.agent !== null
    const shared = shares.flatMap((draft): Move[] => [
      { do: 'genuine', draft },
      ...(own.read.includes(draft.id) ? [] : [{ do: 'genuine', draft, isAsItWas: true } as const]),
    ])
    return [
      ...(unsent(own).length > 0 ? [{ do: 'own' } as const] : []),
      ...(isOpen ? [...shared, ...forged] : []),
      ...unread(other, own).flatMap((draft): Move[] =>
        draft.type === 'present' && draft.session !== own.holders.agent ? [{ do: 'genuine', draft }] : [],
      ),
      ...(own.phase === 'agreed' && this.#world.name === 'first' ? [{ do: 'left' } as const] : []),
    ]
  }

  #forAgent(own: View, other: View): readonly Move[] {
    const commits = other.written.filter(({ type }) => type === 'keyCommit')
    const last = commits.at(-1)
    const resume = last?.type === 'keyCommit' ? last.body.resume : undefined
    const reveals = other.written.filter(({ type }) => type === 'keyReveal')
    const forgedCommits = (['s1', 'zero'] as const).flatMap((key): Move[] => [
      { do: 'commit', key },
      ...(resume ? [{ do: 'commit', key, resume } as const] : []),
    ])
    const forgedReveals = (['s1', 's2', 'zero'] as const).map((key: Forged): Move => ({
      do: 'reveal',
      key: this.#world.secrets.publicOf(key),
    }))
    return [
      ...(unsent(own).length > 0 ? [{ do: 'own' } as const] : []),
      ...(own.phase === 'none' && own.holders.visitor !== null
        ? [...commits.map((draft): Move => ({ do: 'genuine', draft })), ...forgedCommits]
        : []),
      ...(own.phase === 'shared'
        ? [...reveals.map((draft): Move => ({ do: 'genuine', draft })), ...forgedReveals]
        : []),
    ]
  }

  #knows(id: string): boolean {
    const key = derived.get(id)
    return (
      key !== undefined &&
      isKnownShared(key.secret, this.#known) &&
      (key.resumed === null || this.#knows(key.resumed))
    )
  }

  async #fault(
    moves: Moves,
    { visitor, agent }: { readonly visitor: View; readonly agent: View },
  ): Promise<string | null> {
    const fault = faultOf({ visitor, agent }, (id) => this.#knows(id), this.#world.isSigned)
    if (fault) return fault
    if (visitor.key === null || agent.key === null) return null
    if (!this.#knows(visitor.key) || !this.#knows(agent.key)) return null
    return (await this.#isGround(moves, 'visitor', visitor)) || (await this.#isGround(moves, 'agent', agent))
      ? 'the service tries until the codes are equal'
      : null
  }

  /** A late choice of the service would have given another code. */
  async #isGround(moves: Moves, slot: Slot, { code }: View): Promise<boolean> {
    const mine = moves[slot]
    for (const [at, move] of mine.entries()) {
      if (!move.isLate) continue
      const other = this.#otherwise(move)
      const changed = [...mine.slice(0, at), ...(other ? [other] : []), ...mine.slice(at + 1)]
      const view = await this.#world.view(slot, changed)
      if (view?.code && view.code !== code) return true
    }
    return false
  }

  #otherwise(move: Move): Move | null {
    if (move.do !== 'share' && move.do !== 'reveal') return null
    const [one, two] = [this.#world.secrets.publicOf('s1'), this.#world.secrets.publicOf('s2')]
    return { ...move, key: move.key === one ? two : one }
  }
}
