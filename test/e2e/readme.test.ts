import { readFile } from 'node:fs/promises'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { launchChromium, serveHtml, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import { temporaryData } from '../support/temporary-data.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { signInAgent } from '../support/service.ts'
import { hears, sees } from '../support/watch.ts'

let product: StartedProduct
let browser: ChromiumUnderTest
let pages: ServedPage[] = []

/** An example of the README, with the address of the service under test. */
async function example(language: 'html' | 'ts'): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
  if (code === undefined) throw new Error(`the README has no ${language} example`)
  return code
    .replaceAll(/http:\/\/localhost:8090|https:\/\/contact\.example\.org/g, product.url)
    .replace("'duolog/agent'", `'${product.url}/sdk/agent.js'`)
}

/** The agent's example as a browser takes it; `contact` is kept for the test. */
async function agentExample(token: string): Promise<string> {
  const { code } = await transform(await example('ts'), { loader: 'ts' })
  return `const token = '${token}';\n${code.replace('await contact.join()', 'window.contact = contact; await contact.join()')}\nwindow.isReady = true`
}

async function open(site: ServedPage): Promise<Page> {
  pages = [...pages, site]
  return browser.newPage(site.url)
}

beforeAll(async () => {
  product = await startProduct([], temporaryData())
  browser = await launchChromium({ camera: COLOURS.yellow, toneHz: 660 })
})

afterAll(async () => {
  await browser?.close()
  await Promise.all(pages.map((page) => page.close()))
  await product?.stop()
})

describe("the README's example", () => {
  it('OPS-7 SND-313 has at most 20 lines, and its page talks to an agent, calls, and answers calls', async () => {
    const html = await example('html')
    expect(html.trim().split('\n').length).toBeLessThanOrEqual(20)
    const { token } = await signInAgent(product.url, 'Ada')
    const agent = await open(await servePage('window.ready = true'))
    const printed: string[] = []
    agent.on('console', (message) => void printed.push(message.text()))
    await agent.addScriptTag({ type: 'module', content: await agentExample(token) })
    await agent.waitForFunction('window.isReady')
    const visitor = await open(await serveHtml(html))
    const asked: string[] = []
    visitor.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void (asked.length === 1 ? dialog.dismiss() : dialog.accept())
    })
    await expect.poll(() => printed.at(0), { timeout: 20_000 }).toBe('Good morning')
    await agent.evaluate(`contact.sendText('Hello')`)
    await visitor.waitForFunction(`said.textContent === 'Ada: Hello'`)
    await visitor.click('#call')
    await sees(visitor, '#picture', COLOURS.yellow)
    await hears(visitor, '#sound', 660)
    await agent.evaluate(
      `contact.mergeAndTransitMedia({ Voice: { tx: false, rx: false }, Video: { tx: false, rx: false } })`,
    )
    await visitor.waitForFunction('picture.srcObject === null && sound.srcObject === null')
    const call = `contact.getMediaOffer().then((offer) => contact.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'required' }, Video: { tx: 'required', rx: 'optional' } }))`
    expect(await agent.evaluate(`${call}.catch(({ code }) => code)`)).toBe('rejected')
    const answer = await agent.evaluate<Record<string, object>>(call)
    expect([asked, answer['Voice'], answer['Video']]).toMatchObject([
      Array(2).fill('Answer the call?'),
      { tx: true, rx: true },
      { tx: true, rx: false },
    ])
    await sees(visitor, '#picture', COLOURS.yellow)
    await hears(visitor, '#sound', 660)
    expect(browser.pageErrors).toEqual([])
  })
})
