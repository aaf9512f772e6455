/**
 * What the tag costs a page (the same page with it and without, loaded in turns), and how soon the console can be
 * used, over a line of 1.6 Mbit/s with 150 ms. The service is the real one.
 */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchChromium, serveHtml } from '../test/support/chromium.ts'
import { atMost, median } from './figures.ts'
import type { Figure } from './figures.ts'
import { startGround } from './service/ground.ts'
import { runBench } from './service/run-bench.ts'

const ROUNDS = 15
/** As Lighthouse has it for a slow 4G. */
const LINE = {
  offline: false,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: 93_750,
  latency: 150,
}
const BYTES_OF_TEXT = 60_000
/** For how long nothing long may run in a page that is interactive, ms. */
const QUIET_MS = 1_000

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

/** When the switch of a console can be used, and no long task has run for a while, ms after the navigation. */
const WATCH_CONSOLE = `
  window.interactive = new Promise((resolve) => {
    let last = 0
    new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) last = startTime + duration })
      .observe({ type: 'longtask', buffered: true })
    const find = (root) => root.querySelector('[data-testid=ready-switch]') ?? [...root.querySelectorAll('*')].map((each) => each.shadowRoot && find(each.shadowRoot)).find(Boolean)
    const look = () => {
      if (!document.body || !find(document)?.matches(':enabled')) return requestAnimationFrame(look)
      const usable = performance.now()
      const settle = () => {
        const quiet = performance.now() - Math.max(last, usable)
        quiet < ${QUIET_MS} ? setTimeout(settle, ${QUIET_MS} - quiet) : resolve(Math.max(last, usable))
      }
      settle()
    }
    requestAnimationFrame(look)
  })
`

const html = (tag: string): string => {
  const text = '<p>Each lamp is turned, wired and tested by one person, who signs it.</p>\n'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>shop</title><link rel="icon" href="data:,">${tag}</head>
    <body><h1 style="font-size: 80px">Warm light, made by hand</h1>${text.repeat(BYTES_OF_TEXT / text.length)}</body></html>`
}

/** A page of somebody never seen before, over the line. */
async function newPage(browser: Browser, watch: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', LINE)
  await page.addInitScript(watch)
  return page
}

async function load(browser: Browser, url: string, hasTag: boolean): Promise<Load> {
  const page = await newPage(browser, WATCH)
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForFunction(`load.lcp > 0 ${hasTag ? '&& load.launcher === load.launcher' : ''}`)
  const found = await page.evaluate<Load>('load')
  await page.context().close()
  return found
}

async function loadConsole(browser: Browser, url: string): Promise<number> {
  const page = await newPage(browser, WATCH_CONSOLE)
  await page.goto(url, { waitUntil: 'commit' })
  const found = await page.evaluate<number>('interactive')
  await page.context().close()
  return found
}

async function tagFigures(browser: Browser, service: string): Promise<Figure[]> {
  const sites = {
    without: await serveHtml(html('')),
    with: await serveHtml(html(`<script async src="${service}/widget.js"></script>`)),
  }
  const loads: Record<keyof typeof sites, Load[]> = { without: [], with: [] }
  for (let round = 0; round <= ROUNDS; round++)
    for (const kind of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      const found = await load(browser, sites[kind].url, kind === 'with')
      // The first round finds everything cold.
      if (round > 0) loads[kind].push(found)
    }
  for (const site of Object.values(sites)) await site.close()
  const [before, after] = (['without', 'with'] as const).map((kind) =>
    median(loads[kind].map(({ lcp }) => lcp)),
  )
  const launcher = median(loads.with.map((each) => each.launcher))
  const shift = Math.max(...loads.with.map((each) => each.shift))
  const most = (before ?? 0) + Math.max(0.05 * (before ?? 0), 50)
  return [
    { name: 'largest contentful paint without the tag', value: before ?? Number.NaN, unit: 'ms' },
    atMost({ name: 'largest contentful paint with the tag', value: after ?? Number.NaN, unit: 'ms' }, most),
    atMost({ name: 'button after the content of the page', value: launcher, unit: 'ms' }, 1_000),
    atMost({ name: 'layout shift', value: shift, unit: '' }, 0),
  ]
}

async function consoleFigures(browser: Browser, service: string): Promise<Figure[]> {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const found = await loadConsole(browser, `${service}/agent/?nick=Ada`)
    if (round > 0) times.push(found)
  }
  return [
    atMost(
      { name: 'console can be used after its address was entered', value: median(times), unit: 'ms' },
      1_500,
    ),
  ]
}

await runBench('pages', async () => {
  const root = process.env['DUOLOG_ROOT'] ?? '.'
  const folders = Object.entries({
    'sdk-dir': join(root, 'dist/browser'),
    'visitor-dir': join(root, 'apps/visitor/dist'),
    'agent-dir': join(root, 'apps/agent/dist'),
  }).flatMap(([flag, folder]) => [`--${flag}`, folder])
  const ground = await startGround(...folders)
  const { browser } = await launchChromium()
  try {
    return [...(await tagFigures(browser, ground.url)), ...(await consoleFigures(browser, ground.url))]
  } finally {
    await browser.close()
    await ground.stop()
  }
})
