import { beforeAll, describe, expect, it } from 'vitest'
import { describeLink } from '../../testing/index.ts'
import type { LinkFactory } from '../../testing/index.ts'
import { BREAKS, memoryLink } from './broken-links.ts'
import { brokenByEach, lawsOf } from '../support/laws.ts'
import type { Law } from '../support/laws.ts'

const HAS = ['refused', 'unreachable', 'cut'] as const

describeLink('LOG-14 the link in memory', () => memoryLink(), { describe, it, has: HAS })

const lawsFor = (factory: LinkFactory): readonly Law[] =>
  lawsOf((runner) => describeLink('collected', factory, { ...runner, has: HAS }))

/** Laws that cannot be broken without another one. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'comes-up': ['errors-end-nothing', 'close-again', 'cut-is-told', 'down-then-close', 'side-by-side'],
  'quiet-connect': [
    'comes-up',
    'unreachable',
    'refused',
    'errors-end-nothing',
    'close-at-once',
    'close-again',
    'cut-is-told',
    'down-then-close',
    'side-by-side',
  ],
}

describe('conformance kit of links', () => {
  const ids = lawsFor(() => memoryLink()).map(([id]) => id)

  it('LOG-14 each law has a name of its own, and a transport that breaks it', () => {
    expect(ids.toSorted()).toEqual(Object.keys(BREAKS).toSorted())
    expect(ids.length).toBeGreaterThanOrEqual(25)
  })

  describe('LOG-14 a transport that breaks one law fails exactly there', () => {
    let results: ReadonlyMap<string, readonly string[]>
    beforeAll(async () => {
      results = await brokenByEach(ids, 3, (id) => lawsFor(() => memoryLink(id)))
    }, 60_000)

    it.each(ids)('%s', (id) => {
      expect(results.get(id)).toEqual(ids.filter((other) => other === id || ALSO[id]?.includes(other)))
    })
  })
})
