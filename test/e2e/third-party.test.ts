/**
 * A client that was written for event emitters, with positional arguments, callbacks and a store of its own,
 * against the product.
 */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { signInAgent } from '../support/service.ts'
import { hears, hearsSilence, sees, seesFrames } from '../support/watch.ts'

const ELEMENTS =
  '<ul id="log"></ul><video id="picture" autoplay playsinline muted></video><audio id="sound" autoplay></audio>'

const desk = (service: string, token: string): string => `
  window.acks = [];
  window.actions = [];
  window.open = (async () => {
    const { createAgent } = await import('${service}/sdk/agent.js');
    window.desk = createAgent({ service: '${service}', token: '${token}' });
    desk.on('distribution', async ({ id }) => {
      window.contact = await desk.accept(id);
      contact.on('ack', ({ ref }) => acks.push(ref));
      contact.on('action', ({ action_code, args }) => actions.push([action_code, args]));
      contact.on('mediaoffer', ({ offer }) => contact.acceptOffer(offer));
      contact.on('mediachange', ({ newMedia }) => {
        picture.srcObject = newMedia.Video?.data?.rx_stream ?? null;
        sound.srcObject = newMedia.Voice?.data?.rx_stream ?? null;
      });
      await contact.join();
      window.joined = true;
    });
  })();`

let product: StartedProduct
let sites: ServedPage[] = []
let browsers: { readonly visitor: ChromiumUnderTest; readonly agents: ChromiumUnderTest }
let visitor: Page
let ada: Page
let bea: { readonly id: string; readonly page: Page }

const run = <T>(page: Page, code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`)
/** Calls one of the client's operations, which takes a callback last. */
const client = (code: string): Promise<unknown> =>
  run(
    visitor,
    `return await new Promise((resolve) => thirdParty.${code.replace(/\)$/, `${code.endsWith('()') ? '' : ', '}(error) => resolve(error?.code ?? error))`)})`,
  )
const start = (): Promise<boolean> => run(visitor, `return await startThirdParty('${product.url}')`)
const lines = (): Promise<string[]> =>
  run(visitor, `return [...document.querySelectorAll('#log li')].map(({ textContent }) => textContent)`)
const events = (name: string): Promise<unknown[][]> =>
  run(visitor, `return thirdParty.store.events.filter(([one]) => one === '${name}')`)

async function agentPage(nick: string): Promise<{ readonly id: string; readonly page: Page }> {
  const { token, agent } = await signInAgent(product.url, nick)
  const site = await servePage(desk(product.url, token), ELEMENTS)
  sites = [...sites, site]
  const page = await browsers.agents.newPage(site.url)
  await run(page, 'await open')
  return { id: agent.id, page }
}

async function talks(agent: Page): Promise<void> {
  await sees(visitor, '#picture', COLOURS.blue)
  await sees(agent, '#picture', COLOURS.red)
  await hears(visitor, '#sound', 880)
  await hears(agent, '#sound', 440)
}

beforeAll(async () => {
  product = await startProduct()
  const [first, second] = await Promise.all([
    launchChromium({ camera: COLOURS.red, toneHz: 440 }),
    launchChromium({ camera: COLOURS.blue, toneHz: 880 }),
  ])
  browsers = { visitor: first, agents: second }
  const site = await servePage(
    await bundleForPage(fileURLToPath(new URL('./third-party-page.ts', import.meta.url))),
    ELEMENTS,
  )
  sites = [site]
  ada = (await agentPage('Ada')).page
  bea = await agentPage('Bea')
  await run(ada, 'await desk.ready()')
  visitor = await first.newPage(site.url)
})

afterAll(async () => {
  await Promise.all([browsers?.visitor.close(), browsers?.agents.close()])
  await Promise.all(sites.map((site) => site.close()))
  await product?.stop()
})

describe('a client that somebody else has written', () => {
  it('SND-308 starts with Sharing in its first offer, and its store has the messages of both sides', async () => {
    expect(await start()).toBe(false)
    await ada.waitForFunction('window.joined')
    await expect.poll(() => events('joined')).toEqual([['joined', 'Ada']])
    expect(await client(`say('Good morning')`)).toBe(null)
    const ref = await run<string>(ada, `return await contact.sendText('Hello Robin')`)
    await run(ada, `await contact.sendAction('ShowProduct', { lamp: ['oak', 9] })`)
    await expect
      .poll(lines)
      .toEqual(['me: Good morning', 'Ada: Hello Robin', 'Ada: ShowProduct [{"lamp":["oak",9]}]'])
    await expect.poll(() => run(ada, 'return acks')).toContain(ref)
    expect(await events('text')).toEqual([['text', 'Hello Robin', 'Ada', true]])
    await run(visitor, `await thirdParty.contact.send({ type: 'Chosen', body: { lamp: 'oak', count: 2 } })`)
    await expect.poll(() => run(ada, 'return actions')).toEqual([['Chosen', [{ lamp: 'oak', count: 2 }]]])
    expect(
      await run(
        visitor,
        `const { type, agentInfo, transcript } = thirdParty.contact.contact; return [type, agentInfo.nick, transcript.length]`,
      ),
    ).toEqual(['chat', 'Ada', 4])
  })

  it('SND-308 calls with Voice, and answers the offer of Video with what mergeMedia makes of it', async () => {
    expect(await client(`call(['Voice'])`)).toBe(null)
    await hears(visitor, '#sound', 880)
    await hears(ada, '#sound', 440)
    const both = `{ tx: 'required', rx: 'required' }`
    const answer = await run<Record<string, unknown>>(
      ada,
      `return await contact.offerMedia({ ...(await contact.getMediaOffer()), Video: ${both} })`,
    )
    expect(answer).toMatchObject({ Voice: { tx: true, rx: true }, Video: { tx: true, rx: true } })
    await talks(ada)
    expect(await run(visitor, 'return thirdParty.store.offers')).toBe(1)
  })

  it('SND-308 mutes by the engine itself and by the Promise of it', async () => {
    await run(visitor, 'thirdParty.mute(true)')
    await hearsSilence(ada, '#sound')
    await seesFrames(ada, '#picture')
    await run(visitor, 'thirdParty.mute(false)')
    await hears(ada, '#sound', 440)
  })

  it('SND-308 RES-1 MED-29 after a page load its store is filled from the record, and the call comes back', async () => {
    const before = await lines()
    await run(ada, `window.stop = contact.on('text', () => {})`)
    await visitor.reload()
    expect(await start()).toBe(true)
    expect(await lines()).toEqual(before)
    await talks(ada)
    await run(ada, `await contact.sendText('Welcome back')`)
    await expect.poll(lines).toEqual([...before, 'Ada: Welcome back'])
    expect(await run(visitor, 'return thirdParty.contact.channel.isConnected()')).toBe(true)
  })

  it('SND-308 LIFE-16 goes on with the next agent after a transfer, and answers their call', async () => {
    const before = await lines()
    await run(bea.page, 'await desk.ready()')
    await run(ada, `await desk.transfer(contact.id, { toAgent: '${bea.id}' })`)
    await bea.page.waitForFunction('window.joined')
    await expect.poll(() => events('transferred')).toEqual([['transferred', 'string']])
    await expect.poll(() => events('joined')).toEqual([['joined', 'Bea']])
    await visitor.waitForFunction('picture.srcObject === null && sound.srcObject === null')
    const both = `{ tx: 'required', rx: 'required' }`
    await run(
      bea.page,
      `await contact.offerMedia({ ...(await contact.getMediaOffer()), Voice: ${both}, Video: ${both} })`,
    )
    await talks(bea.page)
    expect(await client(`say('Here again')`)).toBe(null)
    await expect.poll(lines).toEqual([...before, 'me: Here again'])
    expect(await run(visitor, 'return thirdParty.contact.contact.agentInfo.nick')).toBe('Bea')
  })

  it('SND-308 LIFE-5 releases the contact: the agent sees it, and every device is given back', async () => {
    await run(
      bea.page,
      `window.left = new Promise((resolve) => contact.on('left', ({ reason }) => resolve(reason)))`,
    )
    await run(
      visitor,
      `window.sent = thirdParty.contact.getMediaStream('audio', 'tx'); thirdParty.contact.release('done')`,
    )
    expect(await run(bea.page, 'return await left')).toBe('vvcu')
    await visitor.waitForFunction(`sent.getTracks().every(({ readyState }) => readyState === 'ended')`)
    expect([...browsers.visitor.pageErrors, ...browsers.agents.pageErrors]).toEqual([])
  })
})
