import { beforeAll, describe, expect, it } from 'vitest'
import type { EngineFactory } from '../../testing/index.ts'
import { describeMediaEngine } from '../../testing/index.ts'
import { brokenByEach, brokenOf, lawsOf } from '../support/laws.ts'
import type { Law } from '../support/laws.ts'
import { BROKEN_DEVICES } from './broken-devices.ts'
import { BROKEN_ENDINGS } from './broken-endings.ts'
import { BROKEN_TRANSITS } from './broken-transits.ts'
import { makeFake } from './fake-rig.ts'

const lawsFor = (factory: EngineFactory): readonly Law[] =>
  lawsOf((runner) =>
    describeMediaEngine('collected', factory, {
      ...runner,
      has: ['devices', 'connections', 'muting', 'exchange'],
    }),
  )

/** For each law, an engine that breaks it. */
const BREAKS = { ...BROKEN_TRANSITS, ...BROKEN_DEVICES, ...BROKEN_ENDINGS }

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
    expect(await brokenOf(lawsFor(makeFake))).toEqual([])
  })

  describe('ENG-3 an engine that breaks one law fails exactly there', () => {
    let results: ReadonlyMap<string, readonly string[]>
    beforeAll(async () => {
      results = await brokenByEach(ids, 8, (id) => lawsFor((slot) => makeFake(slot, BREAKS[id])))
    }, 60_000)

    it.each(ids)('%s', (id) => {
      expect(results.get(id)).toEqual(ids.filter((other) => other === id || ALSO[id]?.includes(other)))
    })
  })
})
