/**
 * What a node concludes from the beats of the nodes. Times are milliseconds of its own monotonic clock, so
 * that no clocks are compared. All values are plain data.
 */
import type { NodeState } from './session-rules.ts'

/** Each bound follows from the others: see the tests. */
export const CLUSTER_TIMES = {
  /** From one own beat to the next. */
  beatMs: 2_000,
  /** Another node's beat has not changed for so long: it counts as dead. */
  leaseMs: 15_000,
  /** Unbroken contact with the store before the silence of others counts. */
  settleMs: 15_000,
  /** No own beat for so long: load balancers send nobody here. */
  unreadyMs: 10_000,
  /** No own beat for so long: the connections end, where others still beat. */
  isolationMs: 20_000,
  /** Between two statements that compare what this node holds with the store. */
  pollMs: 5_000,
  /** The poll while the bus is down. */
  pollWithoutBusMs: 500,
} as const

/** A row of the table `nodes`. */
export interface NodeRow {
  readonly node: string
  readonly state: NodeState
  readonly beat: number
}

/** What a node has observed. */
export interface Observation {
  /** Its last own beat that the store has confirmed; null before the first. */
  readonly lastBeat: number | null
  /** Since when it is in touch with the store without a break; null where it is not. */
  readonly touchSince: number | null
  /** Each other live node: its beat, and since when it has not changed. */
  readonly others: Readonly<Record<string, { readonly beat: number; readonly since: number }>>
}

/** Of a node that has just started. */
export const NOTHING_OBSERVED: Observation = { lastBeat: null, touchSince: null, others: {} }

/**
 * After a beat: all rows, the own one included. `null`: there is no own row that is alive, so this node was
 * declared dead; it ends its connections and takes a new identity.
 */
export function afterBeat(
  { lastBeat, touchSince, others }: Observation,
  own: string,
  { rows, now }: { readonly rows: readonly NodeRow[]; readonly now: number },
): Observation | null {
  if (!rows.some(({ node, state }) => node === own && state !== 'dead')) return null
  const unbroken = touchSince !== null && lastBeat !== null && now - lastBeat <= 2 * CLUSTER_TIMES.beatMs
  const seen = rows
    .filter(({ node, state }) => node !== own && state !== 'dead')
    .map(({ node, beat }) => {
      const known = unbroken ? others[node] : undefined
      return [node, known?.beat === beat ? known : { beat, since: now }] as const
    })
  return { lastBeat: now, touchSince: unbroken ? touchSince : now, others: Object.fromEntries(seen) }
}

/** After a statement that failed or a connection to the store that broke: every observation begins anew. */
export const afterBreak = (observation: Observation): Observation => ({ ...observation, touchSince: null })

/** Nodes to declare dead, each with the beat that the store must still have for it. */
export function deadNodes(
  { touchSince, others }: Observation,
  now: number,
): Pick<NodeRow, 'node' | 'beat'>[] {
  if (touchSince === null) return []
  return Object.entries(others)
    .filter(([, { since }]) => now - since >= CLUSTER_TIMES.leaseMs)
    .map(([node, { beat }]) => ({ node, beat }))
}

/** Whether this node may act on the absence of others: of a page, of an agent. */
export const isSettled = ({ touchSince, lastBeat }: Observation, now: number): boolean =>
  touchSince !== null &&
  lastBeat !== null &&
  now - lastBeat <= 2 * CLUSTER_TIMES.beatMs &&
  now - touchSince >= CLUSTER_TIMES.settleMs

/** Whether load balancers may send somebody here. */
export const isReady = ({ lastBeat }: Observation, state: NodeState, now: number): boolean =>
  state === 'up' && lastBeat !== null && now - lastBeat < CLUSTER_TIMES.unreadyMs

/**
 * Whether this node ends all its connections, and gives up its identity with them: it is cut off from the
 * store, and others are not. Only a beat that the store confirms ends that, no other contact. While nobody
 * beats the store is out for all, and everybody stays.
 */
export const isIsolated = (
  { lastBeat }: Observation,
  now: number,
  { hearsBeats, isBusUp }: { readonly hearsBeats: boolean; readonly isBusUp: boolean },
): boolean => lastBeat !== null && now - lastBeat >= CLUSTER_TIMES.isolationMs && (hearsBeats || !isBusUp)

/** Until the next poll. */
export const pollAfterMs = (isBusUp: boolean): number =>
  isBusUp ? CLUSTER_TIMES.pollMs : CLUSTER_TIMES.pollWithoutBusMs
