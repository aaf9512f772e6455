/**
 * Throughput of a data channel beside that of a bare RTCDataChannel: the same messages, in the same browser,
 * in turns.
 */
import { join } from 'node:path'
import { bundleForPage, launchChromium, servePage } from '../test/support/chromium.ts'

const ROUNDS = 15
const FIGURE = 0.95
const MESSAGE_BYTES = 65_536
const MESSAGES = 256

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const page = await bundleForPage(join(process.env['DUOLOG_ROOT'] ?? '.', 'bench', 'data-channel-page.ts'))
const site = await servePage(page)
const browser = await launchChromium()
try {
  const tab = await browser.newPage(site.url)
  const measure = (kind: 'bare' | 'duolog'): Promise<number> =>
    tab.evaluate<number>(`measure('${kind}', ${MESSAGES}, ${MESSAGE_BYTES})`)
  const megabytesPerSecond: Record<'bare' | 'duolog', number[]> = { bare: [], duolog: [] }
  await measure('bare')
  await measure('duolog')
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? (['bare', 'duolog'] as const) : (['duolog', 'bare'] as const)) {
      megabytesPerSecond[kind].push((MESSAGES * MESSAGE_BYTES) / 1_000 / (await measure(kind)))
    }
  }
  const [bare, duolog] = [median(megabytesPerSecond.bare), median(megabytesPerSecond.duolog)]
  const ratio = duolog / bare
  console.log(
    `data-channel: bare ${bare.toFixed(1)} MB/s, duolog ${duolog.toFixed(1)} MB/s, ratio ${ratio.toFixed(3)} (at least ${FIGURE})`,
  )
  process.exitCode = ratio >= FIGURE ? 0 : 1
} finally {
  await browser.close()
  await site.close()
}
