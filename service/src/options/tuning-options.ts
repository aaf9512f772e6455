import { readStep, readWeight } from '../queue/tuning.ts'
import type { Tuning } from '../queue/strategy.ts'
import type { RawOptions } from './flags.ts'
import { fail, whole, wrong } from './values.ts'

/** What is changed of the strategy. */
export const tuningOptions = ({ one, all }: RawOptions): Tuning => ({
  delayMs: whole('offer-delay', one('offer-delay'), { least: 0, most: 86_400 }) * 1_000,
  steps: all('step').map(
    (text) => readStep(text) ?? fail(wrong('step', 'such as 30:2, 60:all or 60:any-tags')),
  ),
  weights: Object.assign(
    {},
    ...all('weight').map(
      (text) => readWeight(text) ?? fail(wrong('weight', 'such as load=1, idle=0.5 or tags=2')),
    ),
  ),
})
