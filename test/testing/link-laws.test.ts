import { beforeAll, describe, expect, it } from 'vitest'
import { describeLink } from '../../testing/index.ts'
import type { LinkFactory } from '../../testing/index.ts'
import { BREAKS, memoryLink } from '../support/broken-links.ts'

const HAS = ['refused', 'unreachable', 'cut'] as const

describeLink('LOG-14 the link in memory', () => memoryLink(), { describe, it, has: HAS })

type Law = readonly [id: string, run: () => Promise<void>]

function lawsFor(factory: LinkFactory): readonly Law[] {
  const laws: Law[] = []
  describeLink('collected', factory, { describe: (_name, define) => define(), it: (name, run) => laws.push([name.slice(0, name.indexOf(':')), run]), has: HAS })
  return laws
}

/** Ids of the laws that a link breaks. */
async function brokenBy(factory: LinkFactory): Promise<readonly string[]> {
  const results = await Promise.all(
    lawsFor(factory).map(([id, run]) =>
      run().then(
        () => [],
        () => [id],
      ),
    ),
  )
  return results.flat()
}

/** Laws that cannot be broken without another one. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'comes-up': ['errors-end-nothing', 'close-again', 'cut-is-told', 'down-then-close', 'side-by-side'],
  'quiet-connect': ['comes-up', 'unreachable', 'refused', 'errors-end-nothing', 'close-at-once', 'close-again', 'cut-is-told', 'down-then-close', 'side-by-side'],
}

describe('conformance kit of links', () => {
  const ids = lawsFor(() => memoryLink()).map(([id]) => id)

  it('LOG-14 each law has a name of its own, and a transport that breaks it', () => {
    expect(ids.toSorted()).toEqual(Object.keys(BREAKS).toSorted())
    expect(ids.length).toBeGreaterThanOrEqual(25)
  })

  describe('LOG-14 a transport that breaks one law fails exactly there', () => {
    const results = new Map<string, readonly string[]>()
    beforeAll(async () => {
      const waiting = [...ids]
      const work = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          const broken = id
          results.set(id, await brokenBy(() => memoryLink(broken)))
        }
      }
      await Promise.all(Array.from({ length: 3 }, work))
    }, 60_000)

    it.each(ids)('%s', (id) => {
      expect(results.get(id)).toEqual(ids.filter((other) => other === id || ALSO[id]?.includes(other)))
    })
  })
})
