/** One text, as long as the service takes it, does not stall the page that shows it. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

const STALL_MS = 200

let served: ServedPage
let chromium: ChromiumUnderTest
beforeAll(async () => {
  served = await servePage(await bundleForPage(fileURLToPath(new URL('./security-page.ts', import.meta.url))))
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await served?.close()
})

it.each([
  ['words', 'lorem i '.repeat(1_024)],
  ['control characters', '\u0001'.repeat(8_192)],
  ['two control characters in turn', '\u0001\u0002'.repeat(4_096)],
  ['letters and control characters', 'x\u0001'.repeat(4_096)],
])(
  'SND-306 a text of 8 KiB does not stall the page: %s',
  async (_what, text) => {
    const page = await chromium.newPage(served.url)
    await page.getByTestId('security').waitFor()
    await page.evaluate(() => write('warm up'))
    await page.getByText('warm up').waitFor()
    await page.evaluate(`{
      window.longest = 0
      const told = (list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration) }
      new PerformanceObserver(told).observe({ type: 'longtask' })
    }`)
    // In a task of the page's own: what a debugger evaluates is not counted.
    await page.evaluate((long) => void setTimeout(() => write(long)), text)
    await expect.poll(() => page.getByTestId('message').count()).toBe(2)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))')
    expect(await page.evaluate<number>('window.longest')).toBeLessThan(STALL_MS)
    await page.close()
  },
  60_000,
)
