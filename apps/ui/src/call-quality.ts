import type { ContactEvents } from './sdk.ts'

/** How well a call is heard and seen. */
export interface CallQuality {
  /** Smoothed over about three seconds, so that one lost packet alarms nobody. 1 to 4.5. */
  readonly score: number
  /** Media of the remote that do not arrive. */
  readonly silent: readonly string[]
  /** Nothing that was tried has helped. */
  readonly isGivenUp: boolean
}

export type QualityLevel = 'good' | 'fair' | 'poor' | 'silent'

const WEIGHT = 1 / 3

export function withScore(
  before: CallQuality | null,
  { score }: Pick<ContactEvents['statistics'], 'score'>,
): CallQuality {
  const smoothed = before ? before.score + (score - before.score) * WEIGHT : score
  return { score: smoothed, silent: before?.silent ?? [], isGivenUp: before?.isGivenUp ?? false }
}

export const withSilence = (
  before: CallQuality | null,
  { silent, step }: Pick<ContactEvents['liveness'], 'silent' | 'step'>,
): CallQuality => ({
  score: before?.score ?? 1,
  silent,
  isGivenUp: step === 'tell_user',
})

/** Borders as in ITU-T G.107, annex B: up to 4 users are satisfied, below 3.1 many are not. */
export function levelOf({ score, silent }: CallQuality): QualityLevel {
  if (silent.length > 0) return 'silent'
  return score >= 3.9 ? 'good' : score >= 3.1 ? 'fair' : 'poor'
}
