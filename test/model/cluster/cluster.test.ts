/**
 * The rules of several nodes in a model of one page and its session at two nodes: with the given faults at any
 * moments no law is broken, and each rule that is taken out breaks one. The other party's hints (`viewer.test.ts`)
 * and agents (`agents.test.ts`) are not in it.
 */
import { describe, expect, it } from 'vitest'
import { isAlive } from '../../../service/src/cluster/session-rules.ts'
import { FAULTS } from './moves.ts'
import type { FaultKind } from './moves.ts'
import { RULES } from './rules.ts'
import type { Rules } from './rules.ts'
import { search } from './search.ts'

/** Time for a search on a busy machine. Each ends by its number of states. */
const LIMIT_MS = 240_000

describe('several nodes', () => {
  it.each([
    [1, FAULTS, 0],
    [1, ['stop', 'cut', 'part'], 2],
    [2, ['kill', 'die'], 0],
    [2, ['db', 'away'], 0],
    [2, ['drain', 'die', 'stop'], 0],
  ] as const)(
    'CLU-30 with %i of the faults %s and %i messages no law is broken, and every goal is reached',
    (faults, kinds, writes) => {
      expect(search({ faults, kinds, writes, rules: RULES })).toMatchObject({ broken: null })
    },
    LIMIT_MS,
  )
})

/** A rule that is taken out, the faults that show it, and the law that breaks. */
interface Removal {
  readonly what: string
  readonly changed: Partial<Rules>
  readonly faults: readonly FaultKind[]
  readonly count: number
  readonly law: RegExp
  readonly writes?: number
}

const removal = (
  what: string,
  changed: Partial<Rules>,
  rest: Omit<Removal, 'what' | 'changed'>,
): Removal => ({
  ...{ what, changed },
  ...rest,
})

const LEFT = /not reached: a dead session is declared left/
const DIES = { faults: ['kill', 'die'], count: 2, law: LEFT } as const
const OUTAGE = { faults: ['db', 'away', 'drop'], count: 2, law: /^L/ } as const

const REMOVALS: readonly Removal[] = [
  removal(
    'an append is taken whatever its epoch',
    { mayAppend: () => true },
    { faults: ['stop'], count: 1, law: /^F/, writes: 2 },
  ),
  removal(
    'openings count in the order in which they arrive',
    {
      placeAfterOpening: (before, { node }, nodes) =>
        isAlive(node, nodes) ? { node, epoch: (before?.epoch ?? 0) + 1 } : null,
    },
    { faults: ['stop'], count: 2, law: /^X/ },
  ),
  removal(
    'the end of any connection is a loss',
    { isLoss: () => true },
    { faults: ['stop', 'cut', 'drop'], count: 1, law: /^U/ },
  ),
  removal('nobody sweeps', { isSwept: () => false }, DIES),
  removal(
    'nobody sweeps what a node has left that was drained',
    { isSwept: () => false },
    { faults: ['drain', 'die'], count: 2, law: LEFT },
  ),
  removal('nobody declares nodes dead', { deadNodes: () => [] }, DIES),
  removal(
    'silence counts across a gap',
    {
      afterBeat: (observation, own, now) =>
        RULES.afterBeat({ ...observation, touchSince: -1, lastBeat: 0 }, own, now),
    },
    { faults: ['db'], count: 1, law: /^N/ },
  ),
  removal(
    'a failed statement begins nothing anew',
    { afterBreak: (observation) => observation },
    { faults: ['db'], count: 2, law: /^N/ },
  ),
  removal('absence counts right after an outage', { isSettled: () => true }, OUTAGE),
  removal('the effect does not ask again whether the node has settled', { settledAtEffect: false }, OUTAGE),
  removal(
    'a node that is cut off keeps its connections',
    { isIsolated: () => false },
    { faults: ['part'], count: 1, law: /^L/ },
  ),
  removal(
    'a node that sent its pages away keeps its identity',
    { quitsIdentity: false },
    { faults: ['part', 'die'], count: 2, law: LEFT },
  ),
  removal(
    'a claim of a dead node stands',
    { mayClaim: ({ owner }, _nodes, isSettled) => owner === null && isSettled },
    DIES,
  ),
  removal(
    'a node is declared dead without a look at its beat',
    { comparesBeat: false },
    { faults: ['stop'], count: 1, law: /^N/ },
  ),
  removal(
    'a process takes the identity of the one before',
    { newIdentity: false },
    { faults: ['kill', 'die'], count: 2, law: /^N/ },
  ),
  removal(
    'the effect of a timer leaves its row',
    { takesTimer: false },
    { faults: ['away'], count: 1, law: /^L/ },
  ),
  removal(
    'an opening leaves the timer of the absence',
    { opensTakeTimer: false },
    { faults: ['away'], count: 2, law: /^G/ },
  ),
]

describe('a rule that is taken out', () => {
  it.each(REMOVALS.map((each) => [each.what, each] as const))(
    'CLU-31 %s: a law breaks',
    (_what, { changed, faults, count, law, writes = 0 }) => {
      const { broken, way } = search({
        ...{ faults: count, kinds: faults, writes },
        rules: { ...RULES, ...changed },
      })
      expect({ broken, way }).toEqual({ broken: expect.stringMatching(law), way })
    },
    LIMIT_MS,
  )

  it(
    'CLU-31 a superseded connection that a poll leaves open breaks none: the epoch of its appends and losses does',
    () => {
      const rules = { ...RULES, isSuperseded: () => false }
      expect(search({ faults: 1, kinds: ['stop', 'cut'], writes: 0, rules })).toMatchObject({ broken: null })
    },
    LIMIT_MS,
  )
})
