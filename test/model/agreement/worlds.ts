/** Where the searches begin, and a party after its moves. */
import type { Draft, Slot } from '../../../protocol/index.ts'
import type { Production } from './load.ts'
import { Secrets, entryOf } from './moves.ts'
import type { Move } from './moves.ts'
import { Party } from './party.ts'
import { nameOf } from './symbols.ts'

export type WorldName = 'first' | 'resumed' | 'discarded' | 'signed' | 'signed and discarded'

/** What everybody sees of a party after its moves. */
export interface View {
  readonly slot: Slot
  readonly phase: string
  /** Sessions that hold the slots in its log, and its own one. */
  readonly holders: Readonly<Record<Slot, string | null>>
  readonly session: string
  readonly written: readonly Draft[]
  /** Ids of what it has read. */
  readonly read: readonly string[]
  readonly state: string
  readonly code: string | null
  readonly key: string | null
  readonly keys: readonly string[]
  readonly isSecured: boolean
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
    const { production, isSigned, secrets } = this
    const party = await new Party({ production, slot, isSigned }).begun()
    for (const move of moves) {
      if (move.do === 'reload') await party.happen({ type: 'reload' })
      else if (move.do === 'compared') await party.happen({ type: 'compared', isEqual: true })
      else {
        const entry = entryOf(production, secrets, party, move)
        if (!entry) return null
        await party.happen({ type: 'read', entry })
      }
    }
    return viewOf(party)
  }
}

function viewOf(party: Party): View {
  const { keys, shared } = party.state
  const { state, code } = party.verification
  return {
    slot: party.slot,
    phase: keys?.name ?? '',
    holders: shared.session,
    session: party.session,
    written: [...party.written],
    read: party.entries.map(({ id }) => id),
    state,
    code: code?.digits ?? null,
    key: party.key,
    keys: party.keys,
    isSecured: party.isSecured,
    pairs: [...party.pairs].map(([publicKey, secret]) => ({
      publicKey: Buffer.from(publicKey, 'hex').toString('base64'),
      secret,
    })),
  }
}

/** What one party has written and the other has not read, in order. */
const unread = (from: View, to: View): readonly Draft[] =>
  from.written.filter(({ id }) => !to.read.includes(id))

/** What this page of a party has written and not read back. What an earlier page wrote is lost. */
export const unsent = (own: View): readonly Draft[] =>
  unread(own, own).filter(({ session }) => session === own.session)

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
    if (!visitor || !agent) throw new Error('an honest run cannot be played')
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
    else throw new Error('an honest run does not get there')
  }
}

const both = ({ visitor, agent }: Moves, move: Move): Moves => ({
  visitor: [...visitor, move],
  agent: [...agent, move],
})

/** The moves before a search, and the secrets that the service has learned. */
export async function startOf(
  world: World,
): Promise<{ readonly moves: Moves; readonly learned: readonly string[] }> {
  const nothing: Moves = { visitor: [], agent: [] }
  switch (world.name) {
    case 'first':
    case 'signed':
      return { moves: nothing, learned: [] }
    case 'resumed': {
      const isDone = (visitor: View, agent: View): boolean =>
        visitor.key !== null && agent.key !== null && unread(agent, visitor).length === 0
      const agreed = await honest(world, nothing, isDone)
      return { moves: both(both(agreed, { do: 'compared' }), { do: 'reload' }), learned: [] }
    }
    case 'discarded':
    case 'signed and discarded': {
      const isShared = (_visitor: View, agent: View): boolean =>
        agent.written.some(({ type }) => type === 'keyShare') && agent.phase === 'committed'
      const begun = both(await honest(world, nothing, isShared), { do: 'reload' })
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
