import { beforeAll, describe, expect, it } from 'vitest'
import type { EngineFactory } from '../../testing/index.ts'
import { describeMediaEngine } from '../../testing/index.ts'
import { BREAKS } from './broken-engines.ts'
import { makeFake } from './fake-rig.ts'

type Law = readonly [id: string, run: () => Promise<void>]

function lawsFor(factory: EngineFactory): readonly Law[] {
  const laws: Law[] = []
  describeMediaEngine('collected', factory, {
    describe: (_name, define) => define(),
    it: (name, run) => laws.push([name.slice(0, name.indexOf(':')), run]),
    has: ['devices', 'connections', 'muting'],
  })
  return laws
}

/** Ids of the laws that an engine breaks. */
async function brokenBy(factory: EngineFactory): Promise<readonly string[]> {
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
  'quiet-attach': ['prepare-is-local'],
  'all-together': ['hang-up-gives-back', 'signals-are-json'],
}

describe('conformance kit of media engines', () => {
  const ids = lawsFor(makeFake).map(([id]) => id)

  it('ENG-3 it has at least 40 laws, each with a name of its own, and an engine that breaks it', () => {
    expect(ids.length).toBeGreaterThanOrEqual(40)
    expect([...ids].toSorted()).toEqual(Object.keys(BREAKS).toSorted())
  })

  it('ENG-3 a sound engine breaks none', async () => {
    expect(await brokenBy(makeFake)).toEqual([])
  })

  describe('ENG-3 an engine that breaks one law fails exactly there', () => {
    const results = new Map<string, readonly string[]>()
    beforeAll(async () => {
      const waiting = [...ids]
      const work = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          const breaks = BREAKS[id]
          results.set(id, await brokenBy((slot) => makeFake(slot, breaks)))
        }
      }
      await Promise.all(Array.from({ length: 8 }, work))
    }, 60_000)

    it.each(ids)('%s', (id) => {
      expect(results.get(id)).toEqual(ids.filter((other) => other === id || ALSO[id]?.includes(other)))
    })
  })
})
