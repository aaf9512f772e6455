/**
 * States of the two pages that other tests do not come to: what needs a device, a network or a key that fails is set
 * by hand. With `DUOLOG_SHOTS=path` it also takes pictures.
 */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'

let chromium: ChromiumUnderTest

beforeAll(async () => {
  chromium = await launchChromium()
})
afterAll(() => chromium?.close())

it.each(['widget', 'console'])(
  'UI-13 ENC-413 everybody sees and reaches all of the %s, whatever is wrong with devices, network and keys',
  async (name) => {
    const script = await bundleForPage(fileURLToPath(new URL(`./${name}-states.ts`, import.meta.url)))
    const served = await servePage(script)
    const page = await chromium.newPage(served.url)
    await page.setViewportSize({ width: 1000, height: 760 })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const names = await page.evaluate(() => stateNames)
    expect(names.length).toBeGreaterThan(15)
    for (const state of names) {
      await page.evaluate((each) => showState(each), state)
      await look(page, state)
    }
    expect(chromium.pageErrors).toEqual([])
    await page.close()
    await served.close()
  },
)
