import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import type * as engines from '../../../engines/eager.ts'
import { Capabilities } from '../../../sdk/media/capabilities.ts'
import { Negotiation } from '../../../sdk/media/negotiation.ts'
import { PendingOffers } from '../../../sdk/media/pending-offer.ts'
import { problemsOf, ways } from '../../support/walks.ts'

/** The engine whose part in a transition is forgotten. */
const forgotten = vi.hoisted(() => ({ engine: '' }))
vi.mock('../../../engines/eager.ts', async (importOriginal) => {
  const real = await importOriginal<typeof engines>()
  return {
    ...real,
    partOf: (...[media, engine]: Parameters<typeof real.partOf>) =>
      real.partOf(engine === forgotten.engine ? {} : media, engine),
  } satisfies typeof real
})

const nothing = (): void => {}
/**
 * Safeguards of the SDK that no search of `test/model` reaches, each with the walk of the seed that shows it first and
 * what takes it out.
 */
const MUTATIONS: readonly (readonly [string, number, () => unknown])[] = [
  ['a second engine has its part in a transition', 124, () => (forgotten.engine = 'Other')],
  [
    'capabilities that change are told',
    124,
    () => vi.spyOn(Capabilities.prototype, 'announce').mockImplementation(nothing),
  ],
  [
    'the first offer is made, and a call that a page load cut comes back',
    1,
    () => {
      vi.spyOn(PendingOffers.prototype, 'notice').mockImplementation(nothing)
      vi.spyOn(PendingOffers.prototype, 'firstOffer', 'get').mockReturnValue(null)
    },
  ],
  [
    'the engines of a contact are put away before it goes on with another agent',
    65,
    () => vi.spyOn(Negotiation.prototype, 'undo').mockResolvedValue(),
  ],
]

afterEach(() => {
  vi.restoreAllMocks()
  forgotten.engine = ''
})

const noticed = async (
  numRuns: number,
  path?: string,
): Promise<{ readonly failed: boolean; readonly numRuns: number; readonly problem: string }> => {
  let problem = ''
  const property = fc.asyncProperty(ways, async (way) => {
    problem = (await problemsOf(way).catch((thrown: unknown) => [String(thrown)])).join('; ')
    return problem === ''
  })
  return {
    ...(await fc.check(property, { numRuns, seed: 5, endOnFailure: true, ...(path && { path }) })),
    problem,
  }
}

it('SND-204 random walks find nothing in what is whole', { timeout: 300_000 }, async () => {
  expect(await noticed(12)).toMatchObject({ failed: false, problem: '' })
})

it.each(MUTATIONS)(
  'SND-204 random walks notice without: %s',
  { timeout: 300_000 },
  async (_safeguard, first, takeOut) => {
    takeOut()
    // The walk that is known to show it; all of them where the walks are others by now.
    const known = await noticed(1, String(first))
    const { failed, numRuns, problem } = known.failed ? known : await noticed(150)
    process.stdout.write(`walks: noticed after ${numRuns}: ${problem}\n`)
    expect(failed).toBe(true)
  },
)
