import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { launchChromium, serveHtml, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { signInAgent } from '../support/service.ts'
import { hears, sees } from '../support/watch.ts'

let product: StartedProduct
let browser: ChromiumUnderTest
let pages: ServedPage[] = []

/** The README's example, with the address of the service under test. */
async function example(): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const code = /```html\n([\s\S]*?)```/.exec(readme)?.[1]
  if (code === undefined) throw new Error('the README has no example')
  return code.replaceAll('http://localhost:8090', product.url)
}

async function open(site: ServedPage): Promise<Page> {
  pages = [...pages, site]
  return browser.newPage(site.url)
}

beforeAll(async () => {
  product = await startProduct()
  browser = await launchChromium({ camera: COLOURS.yellow, toneHz: 660 })
})

afterAll(async () => {
  await browser?.close()
  await Promise.all(pages.map((page) => page.close()))
  await product?.stop()
})

describe("the README's example", () => {
  it('OPS-7 has at most 20 lines, and its page talks to an agent and calls', async () => {
    const html = await example()
    expect(html.trim().split('\n').length).toBeLessThanOrEqual(20)
    const { token } = await signInAgent(product.url, 'Ada')
    const agent = await open(await servePage('window.ready = true'))
    await agent.evaluate(`(async () => {
      const { createAgent } = await import('${product.url}/sdk/agent.js');
      const desk = createAgent({ service: '${product.url}', token: '${token}' });
      window.heard = new Promise((resolve) => desk.on('distribution', async ({ id }) => {
        window.contact = await desk.accept(id);
        contact.on('text', ({ text }) => resolve(text));
        contact.on('mediaoffer', ({ offer, callback }) => callback(null, Object.fromEntries(Object.entries(offer).map(([name, { tx, rx }]) => [name, { tx: tx !== 'off', rx: rx !== 'off' }]))));
        await contact.join();
      }));
      await desk.ready();
    })()`)
    const visitor = await open(await serveHtml(html))
    expect(await agent.evaluate('heard')).toBe('Good morning')
    await agent.evaluate(`contact.sendText('Hello')`)
    await visitor.waitForFunction(`said.textContent === 'Ada: Hello'`)
    await visitor.click('#call')
    await sees(visitor, '#picture', COLOURS.yellow)
    await hears(visitor, '#sound', 660)
    expect(browser.pageErrors).toEqual([])
  })
})
