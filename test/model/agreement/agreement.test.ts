import { describe, expect, it } from 'vitest'
import { load } from './load.ts'
import { RULES } from './rules.ts'
import { SHORT, explored, foundWithout, isOneSided, nameOf, problemOf, told } from './runs.ts'
import { search } from './search.ts'

const PROPERTIES = 'ENC-500 ENC-501 ENC-502 ENC-503 ENC-504 ENC-505 ENC-624 ENC-625 ENC-626 ENC-627'

describe(`every log that the service can show to each party, within bounds: ${PROPERTIES}`, () => {
  it.each(SHORT)('the world $world', { timeout: 240_000 }, async (run) => {
    const found = await explored(await load(), run)
    process.stdout.write(`${told(run, found)}\n`)
    expect(problemOf(run, found)).toBe(null)
    expect(found.agreements > 0 || isOneSided(run)).toBe(true)
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
    async (rule) => {
      expect(await foundWithout(rule)).toEqual(expect.any(String))
    },
  )
})
