/**
 * Who may write, and who has lost a session, among several nodes. What the store decides, its statements
 * decide by the same rules (`session-openings.ts`, `store/append.sql.ts`); a test compares the two.
 */

/** A node as the store has it. `dead` is final: the node's process takes a new identity. */
export type NodeState = 'up' | 'draining' | 'dead'

/** States of the nodes by their identity. */
export type NodeStates = ReadonlyMap<string, NodeState>

/** Where a session is connected. */
export interface SessionPlace {
  /** Null: it has no connection. */
  readonly node: string | null
  /** Which opening of the page counts; 0 before the first. */
  readonly epoch: number
}

/** Alive to the store: its sessions are not swept. A node without a row is not. */
export const isAlive = (node: string, nodes: NodeStates): boolean =>
  nodes.get(node) === 'up' || nodes.get(node) === 'draining'

/**
 * The place of a session after an opening; null where it is refused. `opening`: the page's own count of its
 * openings of this session, from 1; null for a page that does not count. A page's openings count in the order
 * in which it made them, not in that in which they arrive.
 */
export function placeAfterOpening(
  before: SessionPlace | null,
  { node, opening }: { readonly node: string; readonly opening: number | null },
  nodes: NodeStates,
): SessionPlace | null {
  if (!isAlive(node, nodes)) return null
  const last = before?.epoch ?? 0
  if (opening !== null && opening <= last) return null
  return { node, epoch: opening ?? last + 1 }
}

/** Whether entries of a channel are stored. Else another opening of the session has taken its place. */
export const mayAppend = (place: SessionPlace, epoch: number): boolean =>
  place.epoch === epoch && place.node !== null

/** Whether the end of a connection is the loss of the session. Void where the session was opened anew. */
export const isLoss = (place: SessionPlace, epoch: number): boolean => place.epoch === epoch

/** Whether any node notes the loss of the session in the name of the node that had it. */
export const isSwept = (place: SessionPlace, nodes: NodeStates): boolean =>
  place.node !== null && nodes.get(place.node) === 'dead'

/** Whether the connection of a channel has to end: a poll has found that the session is elsewhere. */
export const isSuperseded = (
  place: SessionPlace,
  own: { readonly node: string; readonly epoch: number },
): boolean => place.node !== own.node || place.epoch !== own.epoch
