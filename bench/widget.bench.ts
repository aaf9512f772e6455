/**
 * What the tag costs a page: the same page with it and without, loaded in turns, over a line of 1.6 Mbit/s with
 * 150 ms.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium, serveHtml } from '../test/support/chromium.ts'
import { median } from './figures.ts'

const ROUNDS = 15
const LINE = {
  offline: false,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: 93_750,
  latency: 150,
}
const BYTES_OF_TEXT = 60_000
/** What a page with the tag may take longer. */
const most = (without: number): number => without + Math.max(0.05 * without, 50)

interface Load {
  readonly lcp: number
  readonly shift: number
  /** From the page's content to the button, ms; NaN without the tag. */
  readonly launcher: number
}

const WATCH = `
  window.load = { lcp: NaN, shift: 0, launcher: NaN }
  new PerformanceObserver((list) => { load.lcp = list.getEntries().at(-1).startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) load.shift += value })
    .observe({ type: 'layout-shift', buffered: true })
  const look = () => {
    if (document.querySelector('duolog-widget')?.shadowRoot?.querySelector('button'))
      load.launcher = performance.now() - performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

const html = (tag: string): string => {
  const text = '<p>Each lamp is turned, wired and tested by one person, who signs it.</p>\n'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>shop</title><link rel="icon" href="data:,">${tag}</head>
    <body><h1 style="font-size: 80px">Warm light, made by hand</h1>${text.repeat(BYTES_OF_TEXT / text.length)}</body></html>`
}

async function load(page: Page, url: string, hasTag: boolean): Promise<Load> {
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.clearBrowserCache')
  await line.send('Network.emulateNetworkConditions', LINE)
  await page.addInitScript(WATCH)
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForFunction(`load.lcp > 0 ${hasTag ? '&& load.launcher === load.launcher' : ''}`)
  const found = await page.evaluate<Load>('load')
  await page.context().close()
  return found
}

/** `widget.js` as the service gives it: compressed by the build. */
const script = readFileSync(join(process.env['DUOLOG_ROOT'] ?? '.', 'dist', 'browser', 'widget.js.gz'))
const headers = { 'content-type': 'text/javascript', 'content-encoding': 'gzip' }
const server = createServer((_request, response) => response.writeHead(200, headers).end(script))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const browser = await launchChromium()
const sites = {
  without: await serveHtml(html('')),
  with: await serveHtml(html(`<script async src="${service}/widget.js"></script>`)),
}
try {
  const loads: Record<keyof typeof sites, Load[]> = { without: [], with: [] }
  for (let round = 0; round <= ROUNDS; round++)
    for (const kind of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      const found = await load(await browser.newPage(), sites[kind].url, kind === 'with')
      // The first round finds everything cold.
      if (round > 0) loads[kind].push(found)
    }
  const [before, after] = [
    median(loads.without.map(({ lcp }) => lcp)),
    median(loads.with.map(({ lcp }) => lcp)),
  ]
  const launcher = median(loads.with.map(({ launcher: at }) => at))
  const shift = Math.max(...loads.with.map(({ shift: each }) => each))
  console.log(
    `widget: largest contentful paint ${before.toFixed(0)} ms, with the tag ${after.toFixed(0)} ms (at most ${most(before).toFixed(0)})`,
  )
  console.log(`widget: button after the page ${launcher.toFixed(0)} ms (at most 1000)`)
  console.log(`widget: layout shift ${shift} (0)`)
  if (after > most(before) || launcher > 1_000 || shift > 0) process.exitCode = 1
} finally {
  await browser.close()
  for (const site of Object.values(sites)) await site.close()
  server.closeAllConnections()
  server.close()
}
