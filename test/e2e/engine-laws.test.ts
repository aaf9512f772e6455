import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeMediaEngine } from '../../testing/index.ts'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

describe('ENG-3 ENG-5 PKG-3 conformance in Chromium', () => {
  let served: ServedPage
  let chromium: ChromiumUnderTest
  let page: Page

  beforeAll(async () => {
    served = await servePage(await bundleForPage(fileURLToPath(new URL('./law-page.ts', import.meta.url))))
    chromium = await launchChromium()
    page = await chromium.newPage(served.url)
  })
  afterAll(async () => {
    await chromium.close()
    await served.close()
  })

  const inPage = (name: string): unknown =>
    it.each([name])('%s', async () => {
      expect(await page.evaluate(`runLaw(${JSON.stringify(name)})`)).toBe('')
      expect(chromium.pageErrors).toEqual([])
    })

  describeMediaEngine('WebRtcEngine', () => Promise.reject(new Error('it is made in the page')), {
    describe,
    it: inPage,
    has: ['devices', 'connections', 'muting'],
  })
})
