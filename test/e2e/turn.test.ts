/** Calls that may use nothing but a TURN server, a real coturn, whose credentials the real service gives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { signInAgent } from '../support/service.ts'
import { TurnServer } from './turn-server.ts'
import { hears, sees, seesFrames } from '../support/watch.ts'

const BACK_MS = 20_000
const rx = (medium: string) => ({ js: `stream.${medium}` })
/** Whose credentials: `v` of the visitor, `a` of the agent. */
const who = (username: string): string | undefined => /:(.)-/.exec(username)?.[1]
const run = <T>(page: Page, code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`)

/** Keeps the newest streams in `window.stream`, and the connections of the page in `window.connections`. */
const KEEP = `
  window.stream = {};
  window.silent = [];
  window.steps = [];
  contact.on('liveness', (event) => { silent = event.silent; steps.push(event.step); });
  contact.on('mediachange', async () => { const media = await contact.getMedia(); for (const name of ['Voice', 'Video']) stream[name] = media[name]?.data?.rx_stream; });
`
const COUNT = `
  window.connections = [];
  window.RTCPeerConnection = class extends RTCPeerConnection { constructor(configuration) { super(configuration); connections.push(this); } };
`
/**
 * Candidate types of the selected pair (W3C webrtc-stats, RTCIceCandidatePairStats), and the bytes that went
 * over it.
 */
const PAIR = `
  const stats = await connections.at(-1).getStats();
  const { selectedCandidatePairId } = [...stats.values()].find(({ type }) => type === 'transport');
  const pair = stats.get(selectedCandidatePairId);
  return [stats.get(pair.localCandidateId).candidateType, stats.get(pair.remoteCandidateId).candidateType, pair.bytesReceived > 1_000];
`

describe('ENG-22 relay-only calls over coturn', () => {
  let turn: TurnServer
  let product: StartedProduct
  let site: ServedPage
  let browsers: { readonly visitor: ChromiumUnderTest; readonly agent: ChromiumUnderTest }
  let visitor: Page
  let agent: Page

  const flows = async (deadlineMs?: number): Promise<void> => {
    await Promise.all([
      seesFrames(agent, rx('Video'), 10, deadlineMs),
      seesFrames(visitor, rx('Video'), 10, deadlineMs),
      hears(agent, rx('Voice'), 440, deadlineMs),
      hears(visitor, rx('Voice'), 880, deadlineMs),
    ])
  }
  const call = (): Promise<unknown> =>
    run(
      visitor,
      `const offer = await contact.getMediaOffer();
       return contact.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'required' }, Video: { tx: 'required', rx: 'required' } }).then(() => 'done', ({ code, message }) => ({ code, message }));`,
    )
  const untilSilenceIsTold = (page: Page): Promise<unknown> =>
    page.waitForFunction(`silent.includes('Voice') && silent.includes('Video')`, undefined, {
      timeout: 5_000,
      polling: 50,
    })

  beforeAll(async () => {
    turn = await TurnServer.start()
    product = await startProduct(['--turn', turn.url, '--turn-secret', turn.secret])
    site = await servePage('window.ready = true')
    const [first, second] = await Promise.all([
      launchChromium({ camera: COLOURS.red, toneHz: 440 }),
      launchChromium({ camera: COLOURS.blue, toneHz: 880 }),
    ])
    browsers = { visitor: first, agent: second }
    visitor = await first.newPage(site.url)
    agent = await second.newPage(site.url)
    for (const page of [visitor, agent]) await page.evaluate(COUNT)
    const { token } = await signInAgent(product.url, 'Ada')
    await run(
      agent,
      `const { createAgent } = await import('${product.url}/sdk/agent.js');
       window.desk = createAgent({ service: '${product.url}', token: '${token}', iceTransportPolicy: 'relay' });
       window.taken = new Promise((resolve, reject) => desk.on('distribution', async ({ id }) => {
         try {
           window.contact = await desk.accept(id); ${KEEP}
           contact.on('mediaoffer', ({ offer, callback }) =>
             callback(null, Object.fromEntries(Object.entries(offer).map(([name, { tx, rx }]) => [name, { tx: tx !== 'off', rx: rx !== 'off' }]))));
           await contact.join(); resolve('joined');
         } catch (error) { reject(error); }
       }));
       await desk.ready({ capacity: 1 });`,
    )
    await run(
      visitor,
      `const { createClient } = await import('${product.url}/sdk/duolog.js');
       window.contact = await createClient({ service: '${product.url}', iceTransportPolicy: 'relay' }).createContact({ nick: 'Robin' }); ${KEEP}
       await new Promise((resolve) => contact.on('joined', resolve));`,
    )
    await run(agent, 'await taken')
  })

  afterAll(async () => {
    await Promise.all([browsers?.visitor.close(), browsers?.agent.close()])
    await site?.close()
    await product?.stop()
    await turn?.close()
  })

  it('ENG-5 ENG-22 pictures and sound flow, and all of it is relayed', async () => {
    expect(await call()).toBe('done')
    await Promise.all([sees(agent, rx('Video'), COLOURS.red), sees(visitor, rx('Video'), COLOURS.blue)])
    await flows()
    expect(await Promise.all([run(visitor, PAIR), run(agent, PAIR)])).toEqual([
      ['relay', 'relay', true],
      ['relay', 'relay', true],
    ])
    expect(new Set(turn.usernames.map(who))).toEqual(new Set(['a', 'v']))
  })

  it('ENG-9 ENG-18 coturn is frozen for a while: that is told within 5 s, and the media come back', async () => {
    turn.freeze()
    await untilSilenceIsTold(agent)
    turn.thaw()
    await flows(BACK_MS)
    await agent.waitForFunction('silent.length === 0')
  })

  it('ENG-9 ENG-10 ENG-18 ENG-19 coturn is killed and started again, and soon once more: each time credentials are fetched anew, ICE restarts, and the media come back', async () => {
    for (const _kill of ['first', 'second']) {
      const users = turn.usernames.length
      await turn.kill()
      await untilSilenceIsTold(agent)
      await turn.restart()
      await flows(BACK_MS)
      expect(await run(visitor, PAIR)).toEqual(['relay', 'relay', true])
      // What coturn prints is read by this process in its own time.
      await expect
        .poll(() => turn.usernames.slice(users).map(who), { timeout: BACK_MS })
        .toEqual(expect.arrayContaining(['v', 'a']))
    }
    for (const page of [visitor, agent]) {
      expect(
        await run(
          page,
          'return steps.filter((step) => ["relay_only", "drop_video", "tell_user"].includes(step))',
        ),
      ).toEqual([])
      expect(await run(page, 'return connections.length')).toBe(1)
    }
  })

  it('ENG-19 ENG-22 credentials that the TURN server does not take end the offer with engine_failed', async () => {
    await run(
      visitor,
      'await contact.mergeAndTransitMedia({ Voice: { tx: false, rx: false }, Video: { tx: false, rx: false } })',
    )
    await turn.kill()
    const before = turn.log.length
    await turn.restart('another secret of the tests, 0123456789')
    expect(await call()).toMatchObject({ code: expect.stringMatching(/^(engine|remote)_failed$/) })
    expect(turn.log.slice(before)).toContain('401')
    for (const page of [visitor, agent]) {
      await page.waitForFunction(`contact.mediaState === 'idle'`)
      expect(
        await run(
          page,
          `return connections.filter(({ signalingState }) => signalingState !== 'closed').length`,
        ),
      ).toBe(0)
    }
    expect([browsers.visitor.pageErrors, browsers.agent.pageErrors]).toEqual([[], []])
  })
})
