import { FLAGS } from './flag-table.ts'
import type { Flag } from './flag-table.ts'
import type { RawOptions } from './flags.ts'
import { wrong } from './values.ts'

interface Needs {
  readonly about: string
  readonly needs?: readonly Flag[]
  readonly needsOneOf?: readonly Flag[]
  readonly onlyIn?: 'local' | 'production'
}

const TABLE: Readonly<Record<Flag, Needs>> = FLAGS

/**
 * Refuses options that say nothing beside the other ones: whoever gave them believes that they hold.
 *
 * @throws {@link StartError}
 */
export function checkNeeds({ all, one }: RawOptions): void {
  const isGiven = (flag: Flag): boolean => all(flag).length > 0
  for (const flag of (Object.keys(FLAGS) as Flag[]).filter(isGiven)) {
    const { needs = [], needsOneOf = [], onlyIn } = TABLE[flag]
    const missing = needs.find((needed) => !isGiven(needed))
    if (missing !== undefined) throw wrong(missing, `given with --${flag}`)
    if (onlyIn !== undefined && one('mode') !== onlyIn)
      throw wrong(flag, `left out unless --mode is ${onlyIn}`)
    const [first, ...others] = needsOneOf
    if (first !== undefined && !needsOneOf.some(isGiven)) throw wrong(first, `given with --${flag}`, others)
  }
}
