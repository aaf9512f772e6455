/** What may happen besides the steps of one agreement: in other tabs, by users, under names of others. */
import type { Move } from './moves.ts'
import type { View, WorldName } from './worlds.ts'

export const isOnce = (move: Move): boolean =>
  ['filler', 'left', 'other', 'named', 'reload'].includes(move.do)
export const isSame = (one: Move, other: Move): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Where a party has several pages, each entry is shown to all of them, or to one. */
export const perTab = ({ pages }: View, moves: readonly Move[]): readonly Move[] =>
  pages.length === 1
    ? moves
    : moves.flatMap((move) => [move, ...pages.map((_, tab): Move => ({ ...move, tab }))])

/** What users do who are asked about a changed key; the page that goes on without comparing is loaded anew. */
export function usersOf(name: WorldName, { pages, accepted }: View): readonly Move[] {
  if (name === 'resumed') return []
  const held = pages.flatMap(({ state }, tab): Move[] =>
    state === 'changed' ? [{ do: 'accepted', tab }] : [],
  )
  return [...held, ...(name === 'accepted' && accepted.length > 0 ? [{ do: 'reload' } as const] : [])]
}

/** Another session of the party goes on in the agreement, and the last step names a key of before. */
export function othersOf(name: WorldName, { slot, phase, holders, session, ring }: View): readonly Move[] {
  if (name !== 'transferred' && name !== 'second tabs') return []
  const other = (type: 'commit' | 'present' | 'share'): Move => ({ do: 'other', type })
  const isOthers = holders[slot] !== null && holders[slot] !== session
  const isReady = slot === 'visitor' ? isOthers : holders.visitor !== null
  return [
    ...(holders[slot] === session ? [other('present')] : []),
    ...(isOthers && slot === 'visitor' && phase === 'none' ? [other('commit')] : []),
    ...(isOthers && slot === 'agent' && phase === 'committed' ? [other('share')] : []),
    ...(isReady && phase === 'shared' ? ring.slice(0, 1).map(({ id }): Move => ({ do: 'named', id })) : []),
  ]
}
