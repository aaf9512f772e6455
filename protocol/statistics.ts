/** What really flows of a medium in one direction, measured between two looks. */
export interface Flow {
  /** Packets, and of a picture decoded or encoded frames, came through within the last three seconds. */
  readonly isFlowing: boolean
  /** Payload, bits per second. */
  readonly bitRate: number
  /** Frames per second; only of a picture. */
  readonly frameRate?: number
  /**
   * Loudness now, 0 to 1; only of a sound. Of a received one as it is played here: 0 where nothing plays it.
   */
  readonly level?: number
  /** Share of the packets that were lost, 0 to 1. */
  readonly loss?: number
  /** How unevenly packets arrive, milliseconds. */
  readonly jitterMs?: number
}

/** What really flows of a medium; a direction that is off is missing. */
export interface MediumFlow {
  readonly tx?: Flow
  readonly rx?: Flow
}

/** What an engine sees of its media. */
export interface Observation {
  readonly media: Readonly<Record<string, MediumFlow>>
  /** To the remote and back, milliseconds. */
  readonly roundTripMs?: number
  /**
   * 1 (nothing can be understood) to 4.5 (nothing is wrong), as a listener would judge by ITU-T G.107; 1
   * while something does not flow.
   */
  readonly score: number
}

/**
 * What is tried, in this order, while media that should arrive do not. The last one leaves it to the user.
 */
export const HEALING_STEPS = [
  'ice_restart',
  'renegotiation',
  'relay_only',
  'drop_video',
  'tell_user',
] as const

/** A step of healing. */
export type HealingStep = (typeof HEALING_STEPS)[number]

/** Media that should arrive here and do not. */
export interface Liveness {
  /** Empty when all flow again. */
  readonly silent: readonly string[]
  /** What is done about it now; null when all flow again. */
  readonly step: HealingStep | null
}

/** A call as a whole, told when its last medium is off. */
export interface CallSummary {
  readonly engine: string
  /** From the first look to the last. */
  readonly durationMs: number
  /** Mean and lowest of the scores; see {@link Observation.score}. */
  readonly score: { readonly mean: number; readonly lowest: number }
  /** Longest round trip, milliseconds. */
  readonly roundTripMs?: number
  /** Mean bit rates, bits per second, over the time that a medium was on. */
  readonly media: Readonly<Record<string, { readonly tx?: number; readonly rx?: number }>>
  /** Steps of healing that were taken. */
  readonly healing: readonly HealingStep[]
}
