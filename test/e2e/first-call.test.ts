/** The main job on the real product: two browsers, one command, the documented interface and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { signInAgent } from '../support/service.ts'
import { hears, sees, seesFrames } from '../support/watch.ts'

let product: StartedProduct
let site: ServedPage
let browsers: { readonly visitor: ChromiumUnderTest; readonly agent: ChromiumUnderTest }
let visitor: Page
let agent: Page

const EVENTS = [
  'text',
  'localtext',
  'ack',
  'iswriting',
  'joined',
  'left',
  'localleft',
  'cleared',
  'mediachange',
] as const

/** Notes every event of `window.contact` in `window.seen`, and gives `heard(name)` to wait for one. */
const WATCH = `
  window.seen = [];
  for (const name of ${JSON.stringify(EVENTS)}) contact.on(name, (event) => { seen.push([name, event]); });
  window.heard = async (name, matches = () => true) => {
    const past = seen.find(([one, event]) => one === name && matches(event));
    return past ? past[1] : new Promise((resolve) => contact.on(name, (event) => { if (matches(event)) resolve(event); }));
  };
  window.stream = {};
  const keep = async () => { const media = await contact.getMedia(); for (const name of ['Voice', 'Video']) stream[name] = media[name]?.data?.rx_stream; };
  contact.on('mediachange', keep);
`

const run = <T>(page: Page, code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`)

beforeAll(async () => {
  product = await startProduct()
  site = await servePage('window.ready = true')
  const [first, second] = await Promise.all([
    launchChromium({ camera: COLOURS.red, toneHz: 440 }),
    launchChromium({ camera: COLOURS.blue, toneHz: 880 }),
  ])
  browsers = { visitor: first, agent: second }
  visitor = await first.newPage(site.url)
  agent = await second.newPage(site.url)
})

afterAll(async () => {
  await Promise.all([browsers?.visitor.close(), browsers?.agent.close()])
  await site?.close()
  await product?.stop()
})

describe('OPS-1 OPS-3 a visitor and an agent talk', () => {
  it('LIFE-4 SRV-10 SRV-19 the agent is offered the contact, accepts it, and joins with nick and avatar', async () => {
    const { token } = await signInAgent(product.url, 'Ada')
    await run(
      agent,
      `const { createAgent } = await import('${product.url}/sdk/agent.js');
       window.desk = createAgent({ service: '${product.url}', token: '${token}' });
       window.taken = new Promise((resolve, reject) => desk.on('distribution', async ({ id, nick }) => {
         try { window.contact = await desk.accept(id); ${WATCH} await contact.join(); resolve(nick); } catch (error) { reject(error); }
       }));
       await desk.ready({ capacity: 1 });`,
    )
    await run(
      visitor,
      `const { createClient } = await import('${product.url}/sdk/duolog.js');
       window.contact = await createClient({ service: '${product.url}' }).createContact({ nick: 'Robin' });
       ${WATCH}`,
    )
    const joined = await run<unknown>(visitor, `return await heard('joined')`)
    const id = await run<string>(visitor, 'return contact.id')
    expect(joined).toEqual({
      id,
      user: expect.any(String),
      nick: 'Ada',
      avatar: {
        base_url: expect.stringMatching(/^http/),
        images: [{ size: expect.any(String), file: expect.any(String) }],
      },
    })
    expect(await run(agent, 'return await taken')).toBe('Robin')
  })

  it('MSG-1 MSG-5 MSG-7 texts go both ways, with typing notification and acknowledgement', async () => {
    const ref = await run<string>(visitor, `return await contact.sendText('Good morning')`)
    expect(await run(agent, `return await heard('text')`)).toEqual({
      text: 'Good morning',
      id: ref,
      ts: expect.any(Number),
      from_id: expect.any(String),
      from_nick: 'Robin',
      agent: false,
    })
    expect(await run(visitor, `return await heard('ack')`)).toEqual({
      ref,
      from_id: expect.any(String),
      from_nick: 'Ada',
      agent: true,
    })
    await run(agent, `contact.sendIsWriting(); await contact.sendText('Hello Robin')`)
    expect(await run(visitor, `return await heard('iswriting')`)).toEqual({
      from_id: expect.any(String),
      from_nick: 'Ada',
      agent: true,
    })
    expect(await run(visitor, `return await heard('text')`)).toEqual({
      text: 'Hello Robin',
      id: expect.any(String),
      ts: expect.any(Number),
      from_id: expect.any(String),
      from_nick: 'Ada',
      agent: true,
    })
  })

  it('MED-6 ENG-5 the visitor offers Voice and Video, the agent accepts, pictures and sound flow both ways', async () => {
    await run(
      agent,
      `contact.on('mediaoffer', ({ offer, callback }) => {
         window.offered = offer;
         callback(null, Object.fromEntries(Object.entries(offer).map(([name, { tx, rx }]) => [name, { tx: tx !== 'off', rx: rx !== 'off' }])));
       });`,
    )
    const answer = await run(
      visitor,
      `const offer = await contact.getMediaOffer();
       const answered = contact.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'required' }, Video: { tx: 'required', rx: 'required' } });
       window.state = contact.mediaState;
       return await answered;`,
    )
    const both = (engine: string) => ({ tx: true, rx: true, via: 'net', engine })
    expect(answer).toEqual({
      Sharing: both('Native'),
      Chat: both('Native'),
      Voice: both('WebRTC'),
      Video: both('WebRTC'),
    })
    expect(await run(visitor, 'return state')).toBe('offering')
    expect(await run(agent, 'return offered.Video')).toEqual({
      tx: 'required',
      rx: 'required',
      via: 'net',
      engine: 'WebRTC',
    })
    await run(agent, `await heard('mediachange')`)
    await sees(visitor, { js: 'window.stream.Video' }, COLOURS.blue)
    await sees(agent, { js: 'window.stream.Video' }, COLOURS.red)
    await hears(visitor, { js: 'window.stream.Voice' }, 880)
    await hears(agent, { js: 'window.stream.Voice' }, 440)
    await Promise.all([
      seesFrames(visitor, { js: 'window.stream.Video' }),
      seesFrames(agent, { js: 'window.stream.Video' }),
    ])
  })

  it('MED-19 MED-21 LIFE-13 the agent hangs up the video only: voice goes on', async () => {
    await run(agent, `await contact.mergeAndTransitMedia({ Video: { tx: false, rx: false } })`)
    expect(
      await run(
        visitor,
        `return (await heard('mediachange', ({ diff }) => 'Video' in diff.removed.media)).diff.removed`,
      ),
    ).toEqual({
      media: { Video: 'WebRTC' },
      engine: { WebRTC: ['Video'] },
    })
    expect(await run(visitor, `return Object.keys(await contact.getMedia(true))`)).toEqual([
      'Sharing',
      'Chat',
      'Voice',
    ])
    await hears(visitor, { js: 'window.stream.Voice' }, 880)
    await hears(agent, { js: 'window.stream.Voice' }, 440)
  })

  it('LIFE-5 LIFE-7 LIFE-8 the visitor leaves, the agent closes, and nothing is left running', async () => {
    await run(visitor, 'await contact.leave()')
    const left = await run<{ readonly id: string }>(
      agent,
      `return await heard('left', ({ reason }) => reason !== undefined)`,
    )
    expect(left).toEqual({
      id: expect.any(String),
      vvcu: expect.any(String),
      reason: 'vvcu',
      channels: { total: 1, vvcu: 0, user: 1 },
    })
    expect(await run(visitor, `return await heard('localleft')`)).toEqual({ reason: 'closed' })
    await run(agent, 'await contact.leave()')
    expect(await run(agent, `return await heard('cleared')`)).toEqual({ id: left.id, reason: 'user' })
    expect(await run(agent, `return await heard('localleft')`)).toEqual({ reason: 'user' })
    expect(await Promise.all([visitor, agent].map((page) => run(page, 'return contact.mediaState')))).toEqual(
      ['init', 'init'],
    )
    expect([browsers.visitor.pageErrors, browsers.agent.pageErrors]).toEqual([[], []])
  })
})
