import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Slot } from '../../protocol/index.ts'
import { Walk } from '../support/walk.ts'
import type { Step } from '../support/walk.ts'
import { FAILED_BEFORE } from './random-walks.cases.ts'

/** Walks of a run. `PARLEY_WALKS=2000` makes a longer one, with other walks each time unless `PARLEY_WALKS_SEED` is given. */
const LONGER = process.env['PARLEY_WALKS']
const RUNS = Number(LONGER ?? 120)
const SEED = Number(process.env['PARLEY_WALKS_SEED'] ?? (LONGER === undefined ? 3 : Date.now() % 1_000_000))
/** Walks that are under way at once: they mostly wait. */
const LANES = 6

const slot: fc.Arbitrary<Slot> = fc.constantFrom('visitor', 'agent')
const medium = fc.constantFrom('Voice', 'Video', 'Screen')
const word = fc.constantFrom('required' as const, 'optional' as const, 'off' as const)
const offer = fc.record(
  { Chat: fc.record({ tx: word, rx: word }), Voice: fc.record({ tx: word, rx: word }), Video: fc.record({ tx: word, rx: word }) },
  { requiredKeys: [], noNullPrototype: true },
)
const media = fc.dictionary(fc.constantFrom('Chat', 'Voice', 'Video', 'Screen'), fc.record({ tx: fc.boolean(), rx: fc.boolean() }, { noNullPrototype: true }), {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
})
const failure = fc.constantFrom('media_denied' as const, 'engine_failed' as const)
const step = <D extends Step['do']>(weight: number, kind: D, rest: Record<string, fc.Arbitrary<unknown>> = { slot }) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(kind), ...rest }, { noNullPrototype: true }) as unknown as fc.Arbitrary<Step>,
})

const steps = fc.array(
  fc.oneof(
    step(6, 'offer', { slot, offer, byCallback: fc.boolean() }),
    step(4, 'transit', { slot, media }),
    step(3, 'manner', { slot, how: fc.constantFrom('most', 'most', 'least', 'reject', null) }),
    step(5, 'answer', { slot, how: fc.constantFrom('most', 'most', 'most', 'least', 'none', 'beyond', 'reject') }),
    step(2, 'withdraw'),
    step(1, 'text'),
    step(1, 'hold'),
    step(1, 'release'),
    step(2, 'unplug', { slot, medium }),
    step(1, 'break'),
    step(4, 'script', { slot, operation: fc.constantFrom('prepare', 'transit', 'transit', 'undo'), behaviour: fc.oneof(fc.constantFrom('hang', 'freeze'), failure) }),
    step(2, 'thaw', { slot, behaviour: fc.oneof(fc.constantFrom('succeed', 'hang'), failure) }),
    step(2, 'lose', { slot, nth: fc.integer({ min: 1, max: 4 }), answerOnly: fc.boolean() }),
    step(2, 'cut'),
    step(1, 'away'),
    step(2, 'back'),
    step(1, 'reload'),
    step(1, 'tab', {}),
    step(1, 'closeTab', {}),
    step(4, 'time', { ms: fc.constantFrom(200, 3_000, 6_000, 31_000, 61_000) }),
    step(16, 'settle', {}),
  ),
  { minLength: 8, maxLength: 50, size: 'max' },
)
/** Most walks end with everyone there. */
const walks = fc.tuple(steps, fc.option(slot, { freq: 6 })).map(([all, leaver]): Step[] => (leaver ? [...all, { do: 'leave', slot: leaver }] : all))

async function problemsOf(walk: readonly Step[]): Promise<string[]> {
  const world = await Walk.start()
  for (const each of walk) await world.take(each)
  return world.finish()
}

describe('random walks of two parties', () => {
  it.each(FAILED_BEFORE)('NEG-2 NEG-3 NEG-4 %s', async (_what, walk) => {
    expect(await problemsOf(walk)).toEqual([])
  })

  it(
    `NEG-1 NEG-2 NEG-3 NEG-4 LIFE-19 LIFE-20 ${RUNS} of them (seed ${SEED}) end idle and mirrored, every Promise settled once, every engine released`,
    async () => {
      const property = fc.asyncProperty(walks, async (walk) => {
        const problems = await problemsOf(walk)
        if (problems.length > 0) throw new Error(`${problems.join('; ')}\nto be kept in random-walks.cases.ts: ${JSON.stringify(walk)}`)
      })
      await Promise.all(Array.from({ length: LANES }, (_, lane) => fc.assert(property, { numRuns: Math.ceil(RUNS / LANES), seed: SEED + lane })))
    },
    120_000 + 2_000 * RUNS,
  )
})
