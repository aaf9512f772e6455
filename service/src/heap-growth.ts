import { setFlagsFromString } from 'node:v8'

/** How far the heap may grow beyond what was alive at the last collection before it is collected again. */
const GROWTH_PERCENT = 30

/**
 * Bounds the garbage in the heap of this process. V8 derives the growth from the speeds that it measures, up to
 * a factor of four: on a busy machine most of the memory of an idle service would be garbage.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
