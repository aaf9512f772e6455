import { expect, it } from 'vitest'
import { FAULTS, SHORT } from './nemesis.ts'
import { planOf } from './plan.ts'

it('CLU-141 the short run kills, stops and drains a node, cuts the bus, starts the store again, sets a clock and drops packets, once each', () => {
  const plan = planOf(['--short'])
  expect(plan).toMatchObject({ nodes: 3, contacts: 20, faults: null, isOnce: true })
  expect(SHORT).toEqual([
    ...['kill with pages', 'stop 20 s', 'drain', 'bus cut', 'store restart'],
    ...['clock', 'packets lost'],
  ])
  expect(Object.keys(FAULTS)).toEqual(expect.arrayContaining([...SHORT]))
})

it('CLU-141 without arguments it takes an hour, with 500 contacts and all faults; an argument changes what it names', () => {
  expect(planOf([], 7)).toMatchObject({ minutes: 60, nodes: 3, contacts: 500, faults: null, seed: 7 })
  const plan = planOf([
    '--short',
    '--contacts',
    '5',
    '--every',
    '900',
    '--seed',
    '3',
    '--faults',
    'kill,drain',
  ])
  expect(plan).toMatchObject({ contacts: 5, everyMs: 900, seed: 3, faults: ['kill', 'drain'], isOnce: true })
})
