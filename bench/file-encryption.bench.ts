/** Encrypting a file as an upload reads it, and opening it as a download brings it, in Chromium. */
import { join } from 'node:path'
import { bundleForPage, launchChromium, servePage } from '../test/support/chromium.ts'
import { atLeast, median, showFigures } from './figures.ts'
import type { Figure } from './figures.ts'

const ROUNDS = 7
const FIGURE = 100
const MEGABYTES = 64
const NAMES = { encrypt: 'encrypted', open: 'opened' } as const

const page = await bundleForPage(join(process.env['DUOLOG_ROOT'] ?? '.', 'bench', 'file-encryption-page.ts'))
const site = await servePage(page)
const browser = await launchChromium()

/** Processor time of all processes of the browser, in seconds. */
async function cpuSeconds(): Promise<number> {
  const cdp = await browser.browser.newBrowserCDPSession()
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
  await cdp.detach()
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
}

try {
  const tab = await browser.newPage(site.url)
  const seconds = { encrypt: [] as number[], open: [] as number[] }
  const cpu = { encrypt: [] as number[], open: [] as number[] }
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const name of ['encrypt', 'open'] as const) {
      const before = await cpuSeconds()
      const ms = await tab.evaluate<number>(`measures.${name}(${MEGABYTES * 1_000_000})`)
      if (round === 0) continue
      seconds[name].push(ms / 1_000)
      cpu[name].push((await cpuSeconds()) - before)
    }
  const figures = (['encrypt', 'open'] as const).flatMap((name): Figure[] => [
    atLeast({ name: NAMES[name], value: MEGABYTES / median(seconds[name]), unit: 'MB/s' }, FIGURE),
    { name: `${NAMES[name]}, processor time of the browser`, value: median(cpu[name]), unit: 's' },
  ])
  console.log(`file-encryption: ${MEGABYTES} MB, medians of ${ROUNDS}\n${showFigures(figures)}`)
  process.exitCode = figures.every(({ holds }) => holds !== false) ? 0 : 1
} finally {
  await browser.close()
  await site.close()
}
