/** A page load of the visitor's site: the contact goes on, and a running call comes back by itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { signInAgent } from '../support/service.ts'
import { hears, sees } from '../support/watch.ts'

let product: StartedProduct
let visitorSite: ServedPage
let agentSite: ServedPage
let browsers: { readonly visitor: ChromiumUnderTest; readonly agent: ChromiumUnderTest }
let visitor: Page
let agent: Page

const ELEMENTS = '<video id="picture" autoplay playsinline muted></video><audio id="sound" autoplay></audio>'
const SHOW = `contact.on('mediachange', ({ newMedia }) => {
  picture.srcObject = newMedia.Video?.data?.rx_stream ?? null;
  sound.srcObject = newMedia.Voice?.data?.rx_stream ?? null;
});`

const site = (service: string): string => `
  window.started = performance.now();
  window.texts = [];
  window.open = (async () => {
    const { createClient } = await import('${service}/sdk/duolog.js');
    const client = createClient({ service: '${service}' });
    const { contact: earlier, resumed } = await client.resumeContact();
    window.resumed = resumed;
    window.contact = earlier ?? await client.createContact({ nick: 'Robin' });
    contact.on('text', ({ text }) => texts.push(text));
    contact.on('joined', () => (window.joined = true));
    ${SHOW}
  })();`

const desk = (service: string, token: string): string => `
  window.texts = [];
  window.asked = 0;
  window.left = [];
  window.open = (async () => {
    const { createAgent } = await import('${service}/sdk/agent.js');
    const desk = createAgent({ service: '${service}', token: '${token}' });
    desk.on('distribution', async ({ id }) => {
      window.contact = await desk.accept(id);
      contact.on('text', ({ text }) => texts.push(text));
      contact.on('left', (event) => left.push(event));
      contact.on('mediaoffer', ({ offer, callback }) => {
        asked++;
        callback(null, Object.fromEntries(Object.entries(offer).map(([name, { tx, rx }]) => [name, { tx: tx !== 'off', rx: rx !== 'off' }])));
      });
      ${SHOW}
      await contact.join();
      window.joined = true;
    });
    await desk.ready();
  })();`

const run = <T>(page: Page, code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`)

async function talk(): Promise<void> {
  await sees(visitor, '#picture', COLOURS.blue)
  await sees(agent, '#picture', COLOURS.red)
  await hears(visitor, '#sound', 880)
  await hears(agent, '#sound', 440)
}

beforeAll(async () => {
  product = await startProduct()
  const { token } = await signInAgent(product.url, 'Ada')
  visitorSite = await servePage(site(product.url), ELEMENTS)
  agentSite = await servePage(desk(product.url, token), ELEMENTS)
  const [first, second] = await Promise.all([
    launchChromium({ camera: COLOURS.red, toneHz: 440 }),
    launchChromium({ camera: COLOURS.blue, toneHz: 880 }),
  ])
  browsers = { visitor: first, agent: second }
  agent = await second.newPage(agentSite.url)
  await run(agent, 'await open')
  visitor = await first.newPage(visitorSite.url)
  await run(visitor, 'await open')
  await Promise.all([agent, visitor].map((page) => page.waitForFunction('window.joined')))
  await run(
    visitor,
    `const both = { tx: 'required', rx: 'required' }; await contact.offerMedia({ ...(await contact.getMediaOffer()), Voice: both, Video: both })`,
  )
  await talk()
})

afterAll(async () => {
  await Promise.all([browsers?.visitor.close(), browsers?.agent.close()])
  await Promise.all([visitorSite?.close(), agentSite?.close()])
  await product?.stop()
})

describe('a page load during a call', () => {
  it('RES-1 RES-2 MED-29 resumes the contact and brings the call back within 3 s, without asking the agent again', async () => {
    await visitor.reload()
    await run(visitor, 'await open')
    expect(await run(visitor, 'return resumed')).toBe(true)
    await visitor.waitForFunction('picture.srcObject && picture.videoWidth > 0')
    const tookMs = await run<number>(visitor, 'return performance.now() - started')
    await talk()
    expect(await run(agent, 'return asked')).toBe(1)
    expect(tookMs).toBeLessThan(3_000)
  })

  it('LIFE-12 tells the agent that the old page is gone, without a reason and with the counts that remain', async () => {
    const left = await run<readonly { readonly reason?: string; readonly channels: unknown }[]>(
      agent,
      'return left',
    )
    expect(left).toEqual([
      { id: expect.any(String), vvcu: expect.any(String), channels: { total: 2, vvcu: 1, user: 1 } },
    ])
  })

  it('LOG-5 LOG-11 texts go on where they were', async () => {
    await run(visitor, `await contact.sendText('back again')`)
    await agent.waitForFunction(`texts.includes('back again')`)
    await run(agent, `await contact.sendText('welcome')`)
    await visitor.waitForFunction(`texts.includes('welcome')`)
    expect(await run(visitor, 'return texts')).toEqual(['welcome'])
  })

  it('SND-309 RES-5 RES-6 a second tab follows, has the call when its user wants it, and gives it back within 2 s when it is closed', async () => {
    await run(agent, `globalThis.away = []; contact.on('peeraway', (event) => away.push(event.away))`)
    const tab = await browsers.visitor.newPage(visitorSite.url, visitor.context())
    await run(tab, 'await open')
    const states = async (): Promise<unknown> => [
      await run(visitor, 'return contact.mediaState'),
      await run(tab, 'return contact.mediaState'),
    ]
    expect(await states()).toEqual(['idle', 'init'])
    await run(tab, 'await contact.takeOver()')
    await sees(tab, '#picture', COLOURS.blue)
    await hears(agent, '#sound', 440)
    expect(await states()).toEqual(['init', 'idle'])
    await run(agent, `await contact.sendText('to both')`)
    for (const page of [visitor, tab]) await page.waitForFunction(`texts.includes('to both')`)
    const closed = performance.now()
    await tab.close()
    await visitor.waitForFunction(`contact.mediaState === 'idle'`)
    expect(performance.now() - closed).toBeLessThan(2_000)
    await sees(visitor, '#picture', COLOURS.blue)
    expect(await run(agent, 'return [asked, away]')).toEqual([1, []])
  })

  it('SND-310 the agent is told within 3 s that the page of the visitor is gone', async () => {
    const closed = performance.now()
    await visitor.close()
    await agent.waitForFunction('away.length > 0')
    expect(performance.now() - closed).toBeLessThan(3_000)
    expect(await run(agent, 'return away')).toEqual([true])
  })
})
