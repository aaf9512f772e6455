/** Both parties in one page, over the real service and real WebRTC: what they agree on is what flows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { openProduct } from '../support/product-page.ts'
import type { ProductPage } from '../support/product-page.ts'
import { partiesIn } from '../support/parties-page.ts'
import { hears, seesFrames } from '../support/watch.ts'

const SEED = 20_261
const CHANGES = 100
const LOOK_EVERY = 10

let product: ProductPage
let page: Page

/** Notes every peer connection of the page, so that its SDP sections can be counted. */
const COUNTED = `
  window.connections = [];
  window.RTCPeerConnection = new Proxy(RTCPeerConnection, { construct(target, args) { const made = new target(...args); connections.push(made); return made; } });
  window.sections = () => connections.filter((one) => one.connectionState !== 'closed').map((one) => one.localDescription?.sdp.split('m=').length ?? 0);
`

const run = <T>(code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`)

interface Mirror {
  readonly mine: Record<string, { readonly tx: boolean; readonly rx: boolean }>
  readonly theirs: unknown
}

async function mirrored(): Promise<Mirror['mine']> {
  const { mine, theirs } = await run<Mirror>('return await mirrored()')
  expect(mine).toEqual(theirs)
  return mine
}

/** What a side receives is seen and heard; what it does not receive has no stream. */
async function flows(name: 'visitor' | 'agent', medium: 'Voice' | 'Video', received: boolean): Promise<void> {
  const stream = `window.streams.${name}.${medium}`
  if (!received) return expect(await run(`return ${stream} === undefined`)).toBe(true)
  if (medium === 'Video') await seesFrames(page, { js: stream }, 3)
  else await hears(page, { js: stream }, 440)
}

/** Pseudo-random numbers of 0 to n - 1: the same in every run. */
function dice(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

beforeAll(async () => {
  product = await openProduct(COUNTED, { camera: COLOURS.red, toneHz: 440 })
  page = await product.browser.newPage(product.site)
  await run(partiesIn(product))
})

afterAll(async () => {
  await product?.close()
})

describe('both parties negotiate', () => {
  it('MED-15 offers made in the same instant, 50 times: one wins, the other gets glare, nothing is lost', async () => {
    const outcomes = await run<readonly string[]>(`
      const outcomes = [];
      for (let round = 0; round < 50; round++) {
        const offers = await Promise.all(Object.values(parties).map((contact) => contact.getMediaOffer()));
        const both = await Promise.allSettled(Object.values(parties).map((contact, index) => contact.offerMedia({ ...offers[index], Video: { tx: 'required', rx: 'required' } })));
        outcomes.push(both.map(({ status, reason }) => (status === 'fulfilled' ? 'won' : reason.code)).sort().join());
        await idle();
        if (!(await parties.agent.getMedia()).Video?.rx) outcomes.push('no video after round ' + round);
        await parties.visitor.mergeAndTransitMedia({ Video: { tx: false, rx: false } });
        await idle();
      }
      return outcomes;
    `)
    expect(outcomes).toEqual(Array.from({ length: 50 }, () => 'glare,won'))
    expect(Object.keys(await mirrored())).toEqual(['Sharing', 'Chat'])
  }, 120_000)

  it(`ENG-5 ENG-8 MED-18 after ${CHANGES} changes by both sides the states are mirrored, media flow as declared, and the SDP has not grown`, async () => {
    const next = dice(SEED)
    await run(
      `await parties.visitor.offerMedia({ ...(await parties.visitor.getMediaOffer()), Voice: { tx: 'required', rx: 'required' }, Video: { tx: 'required', rx: 'required' } }); await idle();`,
    )
    const before = await run('return sections()')
    for (let change = 1; change <= CHANGES; change++) {
      const side = next(2) === 0 ? 'visitor' : 'agent'
      const medium = next(2) === 0 ? 'Voice' : 'Video'
      const wish = JSON.stringify({ tx: next(2) === 0, rx: next(2) === 0 })
      await run(`
        const contact = parties.${side};
        const [media, wish] = [await contact.getMedia(), ${wish}];
        const target = { ...media, ${medium}: { ...wish, via: 'net', engine: 'WebRTC' } };
        const asksMore = wish.rx && !media.${medium}?.rx;
        if (asksMore) await contact.offerMedia({ ...(await contact.getMediaOffer()), ${medium}: { tx: wish.tx ? 'required' : 'off', rx: 'required' } });
        else await contact.transitMedia(media, target);
        await idle();
      `)
      const mine = await mirrored()
      if (change % LOOK_EVERY !== 0) continue
      for (const one of ['Voice', 'Video'] as const) {
        await flows('visitor', one, mine[one]?.rx === true)
        await flows('agent', one, mine[one]?.tx === true)
      }
    }
    expect(await run('return sections()')).toEqual(before)
    expect(product.browser.pageErrors).toEqual([])
  }, 120_000)
})
