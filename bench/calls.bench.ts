/**
 * How soon a call is seen, beside bare RTCPeerConnections over the same signalling, in the same browser, in
 * turns.
 */
import { join } from 'node:path'
import { bundleForPage, launchChromium, servePage } from '../test/support/chromium.ts'

const ROUNDS = 15
const ONE_WAY_MS = 50

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** `most`: null where there is no figure to keep, and the number is for whoever works on it. */
const FIGURES = [
  {
    name: 'first frame of a video call after its acceptance, signalling without delay',
    call: (kind: string) => `firstFrame('${kind}', 0)`,
    most: 1.15,
  },
  {
    name: `first frame of a video call after its acceptance, ${ONE_WAY_MS} ms one way`,
    call: (kind: string) => `firstFrame('${kind}', ${ONE_WAY_MS})`,
    most: null,
  },
  {
    name: `voice to video by the visitor, ${ONE_WAY_MS} ms one way`,
    call: (kind: string) => `upgrade('${kind}', ${ONE_WAY_MS}, 'visitor')`,
    most: 1.1,
  },
  {
    name: `voice to video by the agent, ${ONE_WAY_MS} ms one way`,
    call: (kind: string) => `upgrade('${kind}', ${ONE_WAY_MS}, 'agent')`,
    most: 1.1,
  },
] as const

const page = await bundleForPage(join(process.env['DUOLOG_ROOT'] ?? '.', 'bench', 'calls-page.ts'))
const site = await servePage(page)
const browser = await launchChromium()
try {
  const tab = await browser.newPage(site.url)
  for (const { name, call, most } of FIGURES) {
    const took: Record<'bare' | 'duolog', number[]> = { bare: [], duolog: [] }
    for (const kind of ['bare', 'duolog'] as const) await tab.evaluate(call(kind))
    for (let round = 0; round < ROUNDS; round++) {
      for (const kind of round % 2 === 0 ? (['bare', 'duolog'] as const) : (['duolog', 'bare'] as const))
        took[kind].push(await tab.evaluate<number>(call(kind)))
    }
    const [bare, duolog] = [median(took.bare), median(took.duolog)]
    const ratio = duolog / bare
    console.log(
      `calls: ${name}: bare ${bare.toFixed(0)} ms, duolog ${duolog.toFixed(0)} ms, ratio ${ratio.toFixed(3)}${most === null ? '' : ` (at most ${most})`}`,
    )
    if (most !== null && ratio > most) process.exitCode = 1
  }
} finally {
  await browser.close()
  await site.close()
}
