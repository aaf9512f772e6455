import { describe, expect, it } from 'vitest'
import * as machines from '../../machines/index.ts'
import * as protocol from '../../protocol/index.ts'
import { SHORT, search, told } from './runs.ts'

const INVARIANTS = 'NEG-1 NEG-2 NEG-3 NEG-4 NEG-5 NEG-6 NEG-7 NEG-8 NEG-9 NEG-10 NEG-11 NEG-14'

describe(`every situation of the production machines and the production fold within bounds: ${INVARIANTS}`, () => {
  it.each(SHORT)('$name, from $start, with $budget', { timeout: 240_000 }, (run) => {
    const found = search({ machines, protocol }, run)
    process.stdout.write(`model: ${told(run, found)}\n`)
    expect(found.drawn).toBe('')
    expect(found.complete).toBe(true)
  })
})
