/** Data channels of two browsers over the real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openProduct } from '../support/product-page.ts'
import type { ProductPage } from '../support/product-page.ts'

let product: ProductPage
let visitor: Page
let agent: Page

/** Runs in each page: counts what the SDK takes of the browser, and what arrives. */
const PROBE = `
  window.connections = [];
  window.questions = 0;
  window.mostBuffered = 0;
  const send = RTCDataChannel.prototype.send;
  // Acknowledgements of some ten bytes wait for no room.
  RTCDataChannel.prototype.send = function (data) { send.call(this, data); if (data.byteLength > 64) mostBuffered = Math.max(mostBuffered, this.bufferedAmount); };
  const Real = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Real { constructor(configuration) { super(configuration); connections.push(this); } };
  for (const name of ['getUserMedia', 'getDisplayMedia']) navigator.mediaDevices[name] = () => { questions++; return Promise.reject(new Error('nobody may ask')); };
  window.open = () => connections.filter(({ signalingState }) => signalingState !== 'closed').length;
  window.digest = async (bytes) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  window.noise = (size, seed) => { const words = new Uint32Array(size / 4); let s = seed; for (let i = 0; i < words.length; i++) words[i] = s = (Math.imul(s, 1664525) + 1013904223) >>> 0; return words.buffer; };
  window.heard = [];
  window.listen = (channel) => channel.on('data', ({ data }) => heard.push(data));
  window.until = async (what, test) => { const end = performance.now() + 20000; while (!test()) { if (performance.now() > end) throw new Error('not in time: ' + what); await new Promise((resolve) => setTimeout(resolve, 20)); } };
`

const run = <T>(page: Page, code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`)

beforeAll(async () => {
  product = await openProduct(PROBE, { permissions: 'deny' })
  visitor = await product.browser.newPage(product.site)
  agent = await product.browser.newPage(product.site)
  await run(
    agent,
    `const { createAgent } = await import('${product.service}/sdk/agent.js');
     window.desk = createAgent({ service: '${product.service}', token: '${product.token}' });
     window.taken = new Promise((resolve, reject) => desk.on('distribution', ({ id }) => desk.accept(id).then((contact) => { window.contact = contact; return contact.join(); }).then(resolve, reject)));
     await desk.ready({ capacity: 1 });`,
  )
  await run(
    visitor,
    `const { createClient } = await import('${product.service}/sdk/duolog.js');
     window.contact = await createClient({ service: '${product.service}' }).createContact({ nick: 'Robin' });
     await new Promise((resolve) => contact.on('joined', resolve));`,
  )
  await run(
    agent,
    `await taken; contact.on('datachannel', (channel) => { window.channel = channel; listen(channel); });`,
  )
})

afterAll(async () => {
  await product?.close()
})

describe('data channels of two browsers', () => {
  it('CHAN-1 CHAN-4 CHAN-5 CHAN-9 a channel goes from browser to browser, without a medium and without a question', async () => {
    const type = await run(
      visitor,
      `window.channel = await contact.getDataChannel('files'); listen(channel); await channel.send({ hello: 'é😀' }); return channel.type;`,
    )
    await run(
      agent,
      `await until('the greeting', () => heard.length === 1); await channel.send(new Uint8Array([1, 2, 3]), undefined);`,
    )
    await run(visitor, `await until('the answer', () => heard.length === 1)`)
    expect(type).toBe('webrtc')
    expect(await run(agent, 'return [channel.id, channel.type, heard[0], questions, open()]')).toEqual([
      'files',
      'webrtc',
      { hello: 'é😀' },
      0,
      1,
    ])
    expect(
      await run(
        visitor,
        'return [[...new Uint8Array(heard[0])], questions, open(), Object.keys(await contact.getMedia())]',
      ),
    ).toEqual([[1, 2, 3], 0, 1, ['Sharing', 'Chat']])
  })

  it('CHAN-7 CHAN-8 megabytes arrive whole, from many sends at once and both ways; the buffer of the browser stays small', async () => {
    await Promise.all([visitor, agent].map((page) => run(page, 'heard.length = 0')))
    const send = (seed: number) => `
      const sums = [];
      await Promise.all([1, 3, 1, 2, 1].map(async (mib, index) => { const bytes = noise(mib << 20, index + ${seed}); sums[index] = digest(bytes); await channel.send(bytes); }));
      return Promise.all(sums);`
    const read = `await until('all five', () => heard.length === 5); return Promise.all(heard.map(digest));`
    const [mine, theirs] = await Promise.all([
      run<string[]>(visitor, send(1)),
      run<string[]>(agent, send(100)),
    ])
    expect(await Promise.all([run(agent, read), run(visitor, read)])).toEqual([mine, theirs])
    expect(await Promise.all([visitor, agent].map((page) => run(page, 'return channel.type')))).toEqual([
      'webrtc',
      'webrtc',
    ])
    const most = await Promise.all([visitor, agent].map((page) => run<number>(page, 'return mostBuffered')))
    expect(Math.min(...most)).toBeGreaterThan(65_536)
    expect(Math.max(...most)).toBeLessThanOrEqual(1_048_576 + 65_536)
  })

  it.each(['visitor', 'agent'] as const)(
    'CHAN-6 the %s’s connection is killed in the middle of a transfer: the rest goes over the relay, nothing is lost or doubled',
    async (killed) => {
      await run(
        agent,
        `window.transfer = null; contact.on('datachannel', (one) => { if (one.id === 'again-${killed}') window.transfer = one; });`,
      )
      await run(visitor, `window.transfer = await contact.getDataChannel('again-${killed}')`)
      await run(
        agent,
        `await until('the channel', () => transfer); window.chunks = []; transfer.on('data', ({ data }) => chunks.push(data));`,
      )
      expect(await Promise.all([visitor, agent].map((page) => run(page, 'return transfer.type')))).toEqual([
        'webrtc',
        'webrtc',
      ])
      const victim = killed === 'visitor' ? visitor : agent
      await run(
        agent,
        `window.half = new Promise((resolve) => transfer.on('data', () => chunks.length === 8 && resolve()));`,
      )
      await run(
        visitor,
        `window.sums = []; window.sent = (async () => { for (let n = 0; n < 24; n++) { const bytes = noise(196608, n + 7); sums.push(digest(bytes)); await transfer.send(bytes); await transfer.send({ n }); } })();`,
      )
      await run(agent, 'await half')
      await run(victim, 'for (const pc of connections) pc.close()')
      const sums = await run<string[]>(visitor, 'await sent; return Promise.all(sums)')
      const received = await run<unknown[]>(
        agent,
        `await until('the rest', () => chunks.length >= 48); return Promise.all(chunks.map((chunk) => (chunk instanceof ArrayBuffer ? digest(chunk) : chunk)))`,
      )
      expect(received).toEqual(sums.flatMap((sum, n) => [sum, { n }]))
      expect(await Promise.all([visitor, agent].map((page) => run(page, 'return transfer.type')))).toEqual([
        'sio',
        'sio',
      ])
    },
  )

  it('CHAN-5 CHAN-10 a forced relay makes no connection; close reaches the other side', async () => {
    const before = await run(visitor, 'return connections.length')
    await run(
      visitor,
      `window.relayed = await contact.getDataChannel('relayed', 'sio'); await relayed.send('x'); `,
    )
    await run(
      agent,
      `await until('it', () => channel.id === 'relayed' && heard.includes('x')); window.ended = new Promise((resolve) => channel.on('close', resolve));`,
    )
    expect(await run(visitor, 'relayed.close(); return [relayed.type, connections.length]')).toEqual([
      'sio',
      before,
    ])
    expect(await run(agent, 'return ended')).toEqual({ lost: false })
  })

  it('CHAN-6 LIFE-5 after leaving no connection is open, and nothing has asked for a device', async () => {
    await run(visitor, `await contact.getDataChannel('last'); await contact.leave();`)
    await run(agent, 'await contact.leave()')
    expect(
      await Promise.all([visitor, agent].map((page) => run(page, 'return [open(), questions]'))),
    ).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect(product.browser.pageErrors).toEqual([])
  })
})
