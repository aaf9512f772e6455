import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { problemsOf, ways } from '../../support/walks.ts'
import { FAILED_BEFORE } from './random-walks.cases.ts'

/**
 * Walks of a run. `DUOLOG_WALKS=2000` makes a longer one, with other walks each time unless
 * `DUOLOG_WALKS_SEED` is given.
 */
const LONGER = process.env['DUOLOG_WALKS']
const RUNS = Number(LONGER ?? 120)
const SEED = Number(process.env['DUOLOG_WALKS_SEED'] ?? (LONGER === undefined ? 3 : Date.now() % 1_000_000))
/** Walks that are under way at once: they mostly wait. */
const PARTS = 6

describe('random walks of two parties', () => {
  it.each(FAILED_BEFORE)('NEG-2 NEG-3 NEG-4 %s', async (_what, steps) => {
    expect(await problemsOf({ steps })).toEqual([])
  })

  it(
    `NEG-1 NEG-2 NEG-3 NEG-4 LIFE-19 LIFE-20 ${RUNS} of them (seed ${SEED}) end idle and mirrored, every Promise settled once, every engine released`,
    async () => {
      const property = fc.asyncProperty(ways, async (way) => {
        const problems = await problemsOf(way)
        if (problems.length > 0)
          throw new Error(
            `${problems.join('; ')}\nto be kept in random-walks.cases.ts: ${JSON.stringify(way)}`,
          )
      })
      await Promise.all(
        Array.from({ length: PARTS }, (_, part) =>
          fc.assert(property, { numRuns: Math.ceil(RUNS / PARTS), seed: SEED + part }),
        ),
      )
    },
    120_000 + 2_000 * RUNS,
  )
})
