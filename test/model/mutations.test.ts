import { describe, expect, it } from 'vitest'
import { load } from './load.ts'
import { hunt } from './mutate.ts'
import { MUTATIONS } from './mutations.ts'

/** How many safeguards are taken out in one run of the tests; `npm run model` takes out all. */
const A_FEW = 6

/** Each day others, in the order of the table. */
const day = Number(process.env['DUOLOG_MODEL_DAY'] ?? Math.floor(Date.now() / 86_400_000))
const FEW = Array.from(
  { length: A_FEW },
  (_, index) => MUTATIONS[(day * A_FEW + index) % MUTATIONS.length],
).filter((one) => one !== undefined)

describe('the checker notices what is missing (NEG-13)', () => {
  it.each(FEW)(
    'NEG-13 without $id the checker finds a violation: $safeguard',
    { timeout: 240_000 },
    async (mutation) => {
      const { caught, text } = await hunt(mutation)
      process.stdout.write(`model: day ${day}: without ${mutation.id}: ${text}\n`)
      expect(caught).toBe(true)
    },
  )

  it('NEG-13 every change of the table still fits the sources, under a name of its own', async () => {
    expect(new Set(MUTATIONS.map(({ id }) => id)).size).toBe(MUTATIONS.length)
    await Promise.all(MUTATIONS.map((mutation) => load(`fits-${mutation.id}`, mutation.change)))
  }, 180_000)
})
