/** Who carries out timers, and which agents are asked, among several nodes. */
import { isAlive } from './session-rules.ts'
import type { NodeStates } from './session-rules.ts'

/** An offer that no node has told its agent for so long is taken back. */
export const UNTOLD_MS = 3_000
/** An agent who was not told of an offer is passed over for so long. */
export const PASSED_OVER_MS = 5_000

/**
 * Whether a node may claim a timer that is due. A claim only shares the work: the effect happens once since
 * it deletes the timer's row in its own transaction. `isAbsence`: the timer acts on the silence of somebody;
 * a node that has not settled leaves it to others, and asks again when it carries it out.
 */
export const mayClaim = (
  { owner, isAbsence }: { readonly owner: string | null; readonly isAbsence: boolean },
  nodes: NodeStates,
  isSettled: boolean,
): boolean => (owner === null || !isAlive(owner, nodes)) && (isSettled || !isAbsence)

/** Whether an agent may be offered a contact: one of their connections is at a node that takes new work. */
export const canBeAsked = (connectedAt: readonly string[], nodes: NodeStates): boolean =>
  connectedAt.some((node) => nodes.get(node) === 'up')

/** Whether an agent is connected, wherever. */
export const isConnected = (connectedAt: readonly string[]): boolean => connectedAt.length > 0

/** An offer, as it stands in the store. */
export interface StandingOffer {
  readonly madeAt: number
  readonly due: number
  /** Pushed to a connection of the agent. */
  readonly told: boolean
  /** A connection that lives has read it. */
  readonly seen: boolean
}

/**
 * What becomes of an offer. `take-back`: nobody was told, so it ends without a refusal and the agent is passed
 * over for a while. `pause`: its time is over and the agent has seen it. `end`: its time is over, unseen.
 */
export function offerOutcome(
  { madeAt, due, told, seen }: StandingOffer,
  now: number,
): 'stands' | 'take-back' | 'pause' | 'end' {
  if (now >= due) return seen ? 'pause' : 'end'
  return !told && now - madeAt >= UNTOLD_MS ? 'take-back' : 'stands'
}

/** Work that waits while its job makes no round for so long is taken over by another node. */
export const ROUND_MS = 2_000

/** A job as a node has seen it, and since when its round has not changed; by the node's monotonic clock. */
export interface SeenJob {
  readonly round: number
  readonly since: number
}

/** What a node knows of a job after it has read it. */
export const afterLook = (before: SeenJob | null, round: number, now: number): SeenJob =>
  before?.round === round ? before : { round, since: now }

/**
 * Whether a node takes a job over: nobody has it who takes new work, or something waits and its round has not
 * changed for a while. The store asks whether the round is still the one that was seen.
 */
export const mayTakeJob = (
  {
    node,
    isWaiting,
    seen,
  }: { readonly node: string | null; readonly isWaiting: boolean; readonly seen: SeenJob },
  nodes: NodeStates,
  now: number,
): boolean => node === null || nodes.get(node) !== 'up' || (isWaiting && now - seen.since >= ROUND_MS)

/** Who takes the bytes of an upload. */
export const UPLOAD_TIMES = {
  /** Between two beats of the holder. */
  beatMs: 1_000,
  /** The holder writes for so long after its last beat. */
  leaseMs: 4_000,
  /** Without a beat for so long another node takes it. Longer than the lease, which begins earlier as well. */
  takenMs: 5_000,
  /** Between two looks of who wants it. */
  lookMs: 100,
  /** Who wants it gives up. */
  waitMs: 30_000,
} as const

/** Whether a node takes an upload over whose beat has not changed; the store asks whether it still has not. */
export const mayTakeUpload = (seen: SeenJob, now: number): boolean => now - seen.since >= UPLOAD_TIMES.takenMs

/** Whether the holder may write the next bytes. `beatAt`: when the last beat that the store took was sent. */
export const mayWriteUpload = (beatAt: number, now: number): boolean => now - beatAt < UPLOAD_TIMES.leaseMs
