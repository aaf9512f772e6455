import type { RawOptions } from './flags.ts'
import type { Options } from './options.types.ts'
import { whole } from './values.ts'

/** What a node needs where it goes, in seconds: on one's own machine nobody can take its place. */
const STANDARD = {
  local: { 'drain-wait': '0', 'drain-time': '0' },
  production: { 'drain-wait': '10', 'drain-time': '30' },
} as const

export function clusterOptions(
  { one }: RawOptions,
  mode: Options['mode'],
): Pick<Options, 'allowAsyncStore' | 'drainTimeMs' | 'drainWaitMs' | 'poolSize'> {
  const seconds = (flag: keyof (typeof STANDARD)['local']): number =>
    whole(flag, one(flag) || STANDARD[mode][flag], { least: 0, most: 600 }) * 1_000
  return {
    allowAsyncStore: one('allow-async-store') === 'true',
    drainWaitMs: seconds('drain-wait'),
    drainTimeMs: seconds('drain-time'),
    // One is held while the matcher or a timer waits for another.
    poolSize: whole('pool', one('pool'), { least: 4, most: one('database-url') === '' ? 60 : 1_000 }),
  }
}
