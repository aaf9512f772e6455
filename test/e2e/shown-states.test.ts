/**
 * States of the two pages that other tests do not come to: what needs a device, a network or a key that fails is set
 * by hand. With `DUOLOG_SHOTS=path` it also takes pictures.
 */
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'

let chromium: ChromiumUnderTest

beforeAll(async () => {
  chromium = await launchChromium()
})
afterAll(() => chromium?.close())

async function openStates(
  name: string,
): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> {
  const script = await bundleForPage(fileURLToPath(new URL(`./${name}-states.ts`, import.meta.url)))
  const served = await servePage(script)
  const page = await chromium.newPage(served.url)
  await page.setViewportSize({ width: 1000, height: 760 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const close = async (): Promise<void> => {
    await page.close()
    await served.close()
  }
  return { page, close }
}

it.each(['widget', 'console'])(
  'UI-13 ENC-413 everybody sees and reaches all of the %s, whatever is wrong with devices, network and keys',
  async (name) => {
    const { page, close } = await openStates(name)
    const names = await page.evaluate(() => stateNames)
    expect(names.length).toBeGreaterThan(15)
    for (const state of names) {
      await page.evaluate((each) => showState(each), state)
      await look(page, state)
    }
    expect(chromium.pageErrors).toEqual([])
    await close()
  },
)

it('UI-13 forced colours show how long a contact waits for an answer', async () => {
  const { page, close } = await openStates('console')
  await page.evaluate(() => showState('incoming-wants'))
  await page.emulateMedia({ forcedColors: 'active' })
  const bar = page.locator('progress')
  const shown = (left: number): Promise<Buffer> =>
    bar
      .evaluate((element: HTMLProgressElement, value) => (element.value = value * element.max), left)
      .then(() => bar.screenshot())
  expect((await shown(1)).equals(await shown(0))).toBe(false)
  await close()
})

it.each([
  ['widget', 'interrupted-both'],
  ['console', 'agent-interrupted'],
])(
  'UI-13 a narrow window has all buttons of a call in one row of the %s, and its notices beside the messages',
  async (name, state) => {
    const { page, close } = await openStates(name)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.evaluate((each) => showState(each), state)
    const buttons = page.getByTestId('call-bar').locator('button.icon')
    const tops = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
    expect(tops).toHaveLength(7)
    expect(new Set(tops).size).toBe(1)
    const hidden = await page
      .locator('duolog-call')
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
    expect(hidden).toBe(0)
    await close()
  },
)
