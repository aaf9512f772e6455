import { describe, expect, it } from 'vitest'
import * as production from './production.ts'
import { LONG, SHORT } from './runs.ts'
import { nameOf, problemOf, search, told } from './search.ts'

const INVARIANTS = 'NEG-1 NEG-2 NEG-3 NEG-4 NEG-5 NEG-6 NEG-7 NEG-8 NEG-9 NEG-10 NEG-11 NEG-14'

describe(`every situation of the production machines and the production fold within bounds: ${INVARIANTS}`, () => {
  it.each(SHORT)('$name, from $start, with $budget', { timeout: 240_000 }, (run) => {
    const found = search(production, run)
    process.stdout.write(`model: ${told(run, found)}\n`)
    expect(problemOf(run, found)).toBe(null)
  })
})

describe('a search that stops at its bound', () => {
  const run = { name: 'two commands', start: 'idle', budget: { commands: 2 } } as const

  it('SND-202 is said and fails, unless its bound is part of its name', () => {
    const stopped = search(production, run, { states: 50 })
    expect([stopped.fault, problemOf(run, stopped)]).toEqual([
      null,
      expect.stringMatching(/^two commands: stopped after \d+ states/),
    ])
    expect(told(run, stopped)).toContain('not complete')
    const bounded = { ...run, states: 50 }
    const found = search(production, bounded)
    expect([found.complete, problemOf(bounded, found), nameOf(bounded)]).toEqual([
      false,
      null,
      'two commands, the first 50 states',
    ])
  })

  it('SND-202 every search of the table has a name of its own', () => {
    const names = [...SHORT, ...LONG].map(nameOf)
    expect(new Set(names).size).toBe(names.length)
  })
})
