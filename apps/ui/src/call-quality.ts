import type { MessageKey } from './messages/en.ts'
import type { ContactEvents } from './sdk.ts'
import type { Words } from './words.ts'

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

const WORDS: Readonly<Record<Exclude<QualityLevel, 'silent'>, MessageKey>> = {
  good: 'qualityGood',
  fair: 'qualityFair',
  poor: 'qualityPoor',
}
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

/** Whether users are told in words what is wrong. */
export function isBad(quality: CallQuality): boolean {
  const level = levelOf(quality)
  return level === 'poor' || level === 'silent'
}

export function qualityText(quality: CallQuality, nick: string, words: Words): string {
  const level = levelOf(quality)
  if (level !== 'silent') return words.t(WORDS[level])
  const silent = quality.silent.includes('Voice') ? 'silentVoice' : 'silentVideo'
  return words.t(quality.isGivenUp ? 'silentGivenUp' : silent, { nick })
}
