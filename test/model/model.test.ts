import { describe, expect, it } from 'vitest'
import * as machines from '../../machines/index.ts'
import * as protocol from '../../protocol/index.ts'
import { explore } from './explore.ts'
import { createWorld, openPage } from './world.ts'

const production = { machines, protocol }

describe('the model checker', () => {
  it.each([
    { commands: 1, faults: 0, hurries: 0 },
    { commands: 2, faults: 0, hurries: 0 },
    { commands: 1, faults: 1, hurries: 0 },
    { commands: 2, faults: 0, hurries: 1 },
  ])('NEG-2 finds no fault within $commands commands, $faults faults and $hurries hurried timers', (budget) => {
    const world = openPage(production, openPage(production, createWorld(production, budget), 'visitor'), 'agent')
    const result = explore(production, world, { states: 60_000, entries: 40 })
    console.log(JSON.stringify(budget), result.states, result.transitions, result.complete)
    expect(`${result.fault}\n${result.path.join('\n')}`).toBe('null\n')
  })
})
