import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { contactPage, say } from '../support/visitor-page.ts'

const STUN = 'stun:127.0.0.1:34789'
/** Notes the servers of each connection that a page makes, and what it beacons. */
const NOTE_SERVERS = `
  globalThis.__servers = []
  globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration) {
      super(configuration)
      __servers.push(JSON.stringify((configuration?.iceServers ?? []).flatMap(({ urls }) => urls)))
    }
    setConfiguration(configuration) {
      __servers.push(JSON.stringify((configuration?.iceServers ?? []).flatMap(({ urls }) => urls)))
      super.setConfiguration(configuration)
    }
  }
`

let product: StartedProduct
let chromium: ChromiumUnderTest
let visitor: Page
let agent: Page
const addresses: string[] = []

/** A browser profile of which every request and socket is heard of. */
async function watchedContext(): Promise<BrowserContext> {
  const context = await chromium.browser.newContext()
  context.on('request', (request) => void addresses.push(request.url()))
  context.on('page', (page) => void page.on('websocket', (socket) => void addresses.push(socket.url())))
  await context.addInitScript(NOTE_SERVERS)
  return context
}
const servers = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { __servers: string[] }).__servers)
const scripts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) =>
        name.endsWith('.js') ? [name.replace(/^.*\//, '').replace(/-[A-Z0-9]+\.js$/, '')] : [],
      ),
  )

beforeAll(async () => {
  product = await startProduct(['--stun', STUN])
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`, await watchedContext())
  await agent.getByTestId('ready-switch').click()
  visitor = await contactPage(chromium, product.url, { nick: 'Robin' }, await watchedContext())
  await agent.getByTestId('accept-contact').click()
  await agent.getByTestId('composer').waitFor()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('a whole contact', () => {
  it('PKG-3 what a chat does not need is not loaded for it, and is when it is needed', async () => {
    await say(visitor, 'Good morning')
    await agent.getByTestId('messages').getByText('Good morning').waitFor()
    const chat = await scripts(visitor)
    for (const later of ['webrtc', 'tus-upload', 'attach', 'rpc', 'channels', 'transcript', 'crypto'])
      expect(chat).not.toContain(later)
    await visitor.evaluate(async () => {
      await globalThis.__contact.attach(new File(['x'.repeat(100_000)], 'note.txt', { type: 'text/plain' }))
      await globalThis.__contact.sendData('pointer', { x: 1 })
      await globalThis.__contact.readTranscript()
      await globalThis.__contact.request('Anything', null, 2_000).catch(() => {})
    })
    const all = await scripts(visitor)
    for (const later of ['webrtc', 'tus-upload', 'attach', 'rpc', 'channels', 'transcript'])
      expect(all).toContain(later)
  })

  it('ERR-2 PKG-3 code that could not be loaded comes when it is wanted again', async () => {
    const page = await contactPage(chromium, product.url, { nick: 'Toni' })
    const read = (): Promise<unknown> =>
      page.evaluate(() =>
        globalThis.__contact.readTranscript().then(
          ({ messages }) => messages.length,
          ({ code }: { readonly code: string }) => code,
        ),
      )
    const code = '**/chunks/transcript-*'
    await page.route(code, (route) => route.abort())
    expect([await read(), await read()]).toEqual(['offline', 'offline'])
    await page.unroute(code)
    expect(await read()).toBe(0)
    await page.evaluate(() => globalThis.__contact.leave())
    await page.close()
  })

  it('SEC-9 a call, a file, data and a leave: no host but the service and the ICE servers that it names', async () => {
    await visitor.evaluate(() =>
      globalThis.__contact.on('mediaoffer', ({ callback }) =>
        callback(null, { Chat: { tx: true, rx: true }, Voice: { tx: true, rx: true } }),
      ),
    )
    await agent.getByTestId('call-voice').click()
    await agent.getByTestId('hangup').waitFor()
    for (const page of [visitor, agent]) {
      const made = await servers(page)
      expect(made.length).toBeGreaterThan(0)
      for (const urls of made) expect(urls).toBe(JSON.stringify([STUN]))
    }
    await visitor.evaluate(() => globalThis.__contact.leave())
    await agent.getByTestId('end-contact').click()
    await agent.getByTestId('ending').waitFor()
    const hosts = new Set(
      addresses
        .map((address) => new URL(address))
        .flatMap(({ protocol, host }) => (protocol === 'blob:' || protocol === 'data:' ? [] : [host])),
    )
    expect([...hosts]).toEqual([new URL(product.url).host])
    expect(addresses.length).toBeGreaterThan(10)
    expect(addresses.some((address) => address.startsWith('ws'))).toBe(true)
    expect(chromium.pageErrors).toEqual([])
  })
})
