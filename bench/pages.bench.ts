/**
 * What a cold load of the console takes over a line of 1.6 Mbit/s with 150 ms, and whether the search of the
 * documentation answers without a network.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serveFolder } from '../test/support/built-site.ts'
import { launchChromium } from '../test/support/chromium.ts'
import type { ChromiumUnderTest } from '../test/support/chromium.ts'
import { atMost, median, showFigures } from './figures.ts'
import type { Figure } from './figures.ts'
import { startGround } from './service/ground.ts'

const ROUNDS = 15
const SLOW_LINE = {
  offline: false,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: 93_750,
  latency: 150,
}
const root = process.env['DUOLOG_ROOT'] ?? '.'
const browser = await launchChromium()

/** From the beginning of a navigation until an element can be used, ms. */
async function usable(chromium: ChromiumUnderTest, url: string, id: string): Promise<number> {
  const page = await chromium.newPage()
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', SLOW_LINE)
  await page.addInitScript(`(() => {
    const find = (root) => root.querySelector('[data-testid=${id}]:not([disabled])') ?? [...root.querySelectorAll('*')].map((each) => each.shadowRoot && find(each.shadowRoot)).find(Boolean)
    const look = () => { if (find(document)) window.usableAt = performance.now(); else requestAnimationFrame(look) }
    requestAnimationFrame(look)
  })()`)
  await page.goto(url)
  await page.waitForFunction('window.usableAt > 0')
  const at = await page.evaluate<number>('usableAt')
  await page.context().close()
  return at
}

async function consoleFigures(): Promise<readonly Figure[]> {
  const folder = (...parts: readonly string[]): string => join(root, ...parts, 'dist')
  const product = await startGround(
    ...['--sdk-dir', join(root, 'dist', 'browser'), '--visitor-dir', folder('apps', 'visitor')],
    ...['--agent-dir', folder('apps', 'agent')],
  )
  try {
    const times: Record<'sign-in' | 'ready-switch', number[]> = { 'sign-in': [], 'ready-switch': [] }
    for (let round = 0; round <= ROUNDS; round++)
      for (const [id, query] of [
        ['sign-in', ''],
        ['ready-switch', '?nick=Ada'],
      ] as const) {
        const at = await usable(browser, `${product.url}/agent/${query}`, id)
        // The first round finds everything cold.
        if (round > 0) times[id].push(at)
      }
    return [
      atMost({ name: 'console: sign-in can be used', value: median(times['sign-in']), unit: 'ms' }, 1_500),
      { name: 'console: signed in and connected', value: median(times['ready-switch']), unit: 'ms' },
    ]
  } finally {
    await product.stop()
  }
}

async function searchFigures(): Promise<readonly Figure[]> {
  const folder = join(root, 'dist', 'docs')
  if (!existsSync(folder)) {
    console.log('  the documentation is not built: npm run docs')
    return []
  }
  const site = await serveFolder(folder)
  const page = await browser.newPage(`${site.url}quick-start.html`)
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  const started = performance.now()
  await page.keyboard.press('/')
  await page.locator('.search-input').fill('TURN')
  await page.locator('.VPLocalSearchBox .result').first().waitFor()
  const value = performance.now() - started
  await site.close()
  return [atMost({ name: 'documentation: search answers without a network', value, unit: 'ms' }, 2_000)]
}

try {
  const figures = [...(await consoleFigures()), ...(await searchFigures())]
  console.log(`pages\n${showFigures(figures)}`)
  if (figures.some(({ holds }) => holds === false)) process.exitCode = 1
} finally {
  await browser.close()
}
