import type { Step, Weights } from './strategy.ts'

const SECONDS = 86_400

/** A step as it is written in an option; null where it is none. */
export function readStep(text: string): Step | null {
  const [, seconds = '', who = ''] = /^(\d{1,5}):(\d{1,4}|all|any-tags)$/.exec(text) ?? []
  const afterMs = Number(seconds) * 1_000
  if (who === '' || who === '0' || Number(seconds) > SECONDS) return null
  if (who === 'any-tags') return { afterMs, needsTags: false }
  return { afterMs, parallel: who === 'all' ? Number.POSITIVE_INFINITY : Number(who) }
}

/** A weight as it is written in an option; null where it is none. */
export function readWeight(text: string): Partial<Weights> | null {
  const [, name, value] = /^(load|idle|tags)=(\d{1,3}(?:\.\d{1,3})?)$/.exec(text) ?? []
  return name === undefined ? null : { [name]: Number(value) }
}
