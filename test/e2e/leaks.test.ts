import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

const CALLS = 50
/** What the first calls load and compile stays: it is no leak. */
const WARM_UP = 25
const NOTHING = { tracks: 0, connections: 0, listeners: 0 }
const MOMENTS = ['asking', 'ringing', 'connecting', 'talking', 'restarting'] as const

describe('LIFE-20 nothing is left of a call in Chromium', () => {
  let served: ServedPage
  let chromium: ChromiumUnderTest
  let page: Page
  let tools: CDPSession

  beforeAll(async () => {
    served = await servePage(await bundleForPage(fileURLToPath(new URL('./leak-page.ts', import.meta.url))))
    chromium = await launchChromium()
    page = await chromium.newPage(served.url)
    tools = await page.context().newCDPSession(page)
  })
  afterAll(async () => {
    await chromium.close()
    await served.close()
  })

  const callAndLeave = (moment: string): Promise<unknown> => page.evaluate(`callAndLeave('${moment}')`)
  /** What stays however often garbage is collected: connections are let go of in several rounds. */
  const heapBytes = async (usedBefore = Number.POSITIVE_INFINITY): Promise<number> => {
    await tools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await tools.send('Runtime.getHeapUsage')
    return usedSize < usedBefore ? heapBytes(usedSize) : usedBefore
  }

  /** Every contact has maps: the number tells whether one stays. It collects garbage first. */
  const mapCount = async (): Promise<unknown> => {
    const objectGroup = 'maps'
    const { result: prototype } = await tools.send('Runtime.evaluate', {
      expression: 'Map.prototype',
      objectGroup,
    })
    const { objects } = await tools.send('Runtime.queryObjects', {
      prototypeObjectId: prototype.objectId ?? '',
      objectGroup,
    })
    const { result } = await tools.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: 'function () { return this.length }',
      returnByValue: true,
    })
    await tools.send('Runtime.releaseObjectGroup', { objectGroup })
    return result.value
  }

  it.each(MOMENTS)(
    'LIFE-20 who leaves while %s has no live track, no connection and no listener',
    async (moment) => {
      for (let n = 0; n < 3; n++) expect(await callAndLeave(moment)).toEqual(NOTHING)
      expect(chromium.pageErrors).toEqual([])
    },
  )

  it(`LIFE-20 ${CALLS} calls leave the heap within a tenth of what it was`, async () => {
    for (let n = 0; n < WARM_UP; n++) await callAndLeave('talking')
    const [mapsBefore, before] = [await mapCount(), await heapBytes()]
    for (let n = 0; n < CALLS; n++) expect(await callAndLeave('talking')).toEqual(NOTHING)
    expect(await mapCount()).toBe(mapsBefore)
    const after = await heapBytes()
    expect(after / before).toBeLessThan(1.1)
    expect(chromium.pageErrors).toEqual([])
  })
})
