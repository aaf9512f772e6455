/**
 * What to do about media that were negotiated and do not flow: a pure table of rules. Time comes in with the
 * readings.
 *
 *   all flow ─3 s of silence─▶ ice_restart ─4 s─▶ renegotiation ─4 s─▶ relay_only ─6 s─▶ drop_video
 *      ▲                                                                              ─4 s─▶ tell_user
 *      └─ all flow again: the next silence continues with the next step, or, after 10 s of flow, starts over
 *
 * A step that cannot be taken is left out.
 *
 * The steps are for media that do not flow over a transport that works. While nothing arrives at all, ICE
 * restarts are what is done, by the machine of `peer-session.machine.ts`; when something arrives again, the
 * table goes on after
 * `ice_restart`, whatever was tried before.
 */
import { HEALING_STEPS } from '../../protocol/index.ts'
import { RECOVERY_STEP_MS, RELAY_STEP_MS, SOUND_AFTER_MS } from './limits.ts'
import type { HealingStep } from '../../protocol/index.ts'

/** How long the step before `step` may take. */
const nextAfterMs = (step: HealingStep): number => (step === 'drop_video' ? RELAY_STEP_MS : RECOVERY_STEP_MS)

/** The state of the recovery. */
export interface MediaRecovery {
  /** Media that do not flow. */
  readonly silent: readonly string[]
  /** The step that was taken last. */
  readonly step: HealingStep | null
  /** When that was, or when all began to flow again; null while nothing was wrong. */
  readonly sinceMs: number | null
}

/** All media arrive, and no step runs. */
export const SOUND: MediaRecovery = { silent: [], step: null, sinceMs: null }

/** The observations of one check. */
export interface Look {
  readonly atMs: number
  /** Media that should arrive and have been silent for `SILENT_AFTER_MS`. */
  readonly silent: readonly string[]
  /** Nothing arrives at all: the network is gone. */
  readonly isCut: boolean
  /** Steps that can be taken here and now. */
  readonly can: (step: HealingStep) => boolean
}

/** The state after a look. A step that differs from the one before is to be taken now. */
export function nextRecovery(before: MediaRecovery, { atMs, silent, isCut, can }: Look): MediaRecovery {
  if (isCut) return { silent, step: 'ice_restart', sinceMs: atMs }
  const waitedMs = before.sinceMs === null ? Number.POSITIVE_INFINITY : atMs - before.sinceMs
  if (silent.length === 0) {
    if (before.silent.length > 0) return { silent: [], step: before.step, sinceMs: atMs }
    return waitedMs >= SOUND_AFTER_MS ? SOUND : before
  }
  const next = HEALING_STEPS.slice(before.step === null ? 0 : HEALING_STEPS.indexOf(before.step) + 1).find(
    can,
  )
  const isDue = before.silent.length === 0 || (next !== undefined && waitedMs >= nextAfterMs(next))
  if (next !== undefined && isDue) return { silent, step: next, sinceMs: atMs }
  return { ...before, silent }
}
