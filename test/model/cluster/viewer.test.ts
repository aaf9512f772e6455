/**
 * Hints to the other party's node in every order: the hub and the channel of production, with everything that
 * lies between two steps. `cluster.test.ts` has the nodes and the page.
 */
import { describe, expect, it } from 'vitest'
import { VIEWER_RULES, Viewer, searchViewer } from './viewer.ts'
import type { ViewerRules } from './viewer.ts'

const LIMIT_MS = 120_000
type Stores = readonly ('A' | 'B')[]

const explore = (stores: Stores, losses: number, changed: Partial<ViewerRules> = {}) =>
  searchViewer(() => new Viewer(stores, losses, { ...VIEWER_RULES, ...changed }))

const NOT_TOLD = 'an entry has not arrived'

describe('the hints of two nodes to one channel', () => {
  it.each([[['A', 'B', 'A']], [['B', 'A', 'B']], [['A', 'A', 'A']]] as const)(
    'CLU-82 whatever the order of %j, entries arrive in that of the log, each once, without a poll',
    async (stores) => {
      expect(await explore(stores, 0, { polls: false })).toMatchObject({ broken: null })
    },
    LIMIT_MS,
  )

  it(
    'CLU-82 the poll finds what lost hints have said',
    async () => {
      expect(await explore(['A', 'B'], 2)).toMatchObject({ broken: null })
    },
    LIMIT_MS,
  )
})

describe('what is taken out', () => {
  it.each([
    ['what is heard during an opening', { expects: false, polls: false }, 0],
    ['targets that the transaction reads', { targetsInTransaction: false, polls: false }, 0],
    ['the poll', { polls: false }, 1],
  ] as const)(
    'CLU-83 %s: an entry does not arrive',
    async (_what, changed, losses) => {
      const { broken, way } = await explore(['A', 'A'], losses, changed)
      expect({ broken, way }).toEqual({ broken: NOT_TOLD, way })
    },
    LIMIT_MS,
  )
})
