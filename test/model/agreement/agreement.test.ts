import { describe, expect, it } from 'vitest'
import { load } from './load.ts'
import { RULES } from './rules.ts'
import { SHORT, explored, nameOf, problemOf, told } from './runs.ts'
import { search } from './search.ts'

const PROPERTIES = 'ENC-500 ENC-501 ENC-502 ENC-503 ENC-504 ENC-505'

describe(`every log that the service can show to each party, within bounds: ${PROPERTIES}`, () => {
  it.each(SHORT)('the world $world', { timeout: 240_000 }, async (run) => {
    const found = await explored(await load(), run)
    process.stdout.write(`${told(run, found)}\n`)
    expect(problemOf(run, found)).toBe(null)
    expect(found.agreements).toBeGreaterThan(0)
  })

  it('ENC-506 a search that stops at a bound says so, and fails unless the bound is part of its name', async () => {
    const run = { world: 'first', visitor: 9, agent: 6 } as const
    const stopped = await search(await load(), 'first', { ...run, worlds: 20 })
    expect(stopped.isComplete).toBe(false)
    expect(problemOf(run, stopped)).toMatch(/stopped after 21 worlds/)
    expect(told(run, stopped)).toContain('not complete')
    expect(problemOf({ ...run, worlds: 20 }, stopped)).toBe(null)
    expect(nameOf({ ...run, worlds: 20 })).toContain('the first 20 worlds')
  })
})

describe('the checker notices what is missing of the agreement', () => {
  it.each(RULES)(
    'ENC-507 without $id a violation is found: $safeguard',
    { timeout: 240_000 },
    async ({ patches, world }) => {
      const run = SHORT.find((one) => one.world === world)
      if (!run) throw new Error(`no search of CI is of the world ${world}`)
      const found = await explored(await load(patches), run)
      expect(found.fault).toEqual(expect.any(String))
    },
  )
})
