/** What a visitor may write, as many times as the service lets through, costs the agent's console little. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openProduct } from '../support/product-page.ts'
import type { ProductPage } from '../support/product-page.ts'

const LONG = 60
const MANY = 60
const STALL_MS = 200
/** The messages of the first contact that the console has. */
const ITEMS = `document.querySelector('duolog-console').model.sessions[0].state.transcript.items.filter(({ kind }) => kind === 'remote').length`
/** The list that shows them. */
const LIST = `document.querySelector('duolog-console').shadowRoot.querySelector('duolog-conversation').shadowRoot.querySelector('duolog-messages').shadowRoot.querySelector('.scroll')`

let product: ProductPage
let agent: Page
let visitor: Page

beforeAll(async () => {
  product = await openProduct('')
  agent = await product.browser.newPage(`${product.service}/agent/?nick=Ada`)
  await agent.getByTestId('ready-switch').press('Space')
  visitor = await product.browser.newPage(product.site)
  await visitor.evaluate(`(async () => {
    const { createClient } = await import('${product.service}/sdk/duolog.js')
    window.contact = await createClient({ service: '${product.service}' }).createContact({ nick: 'Mallory' })
  })()`)
  await agent.getByTestId('accept-contact').press('Enter')
  await visitor.waitForFunction('contact.mediaState === "idle"')
}, 180_000)

afterAll(async () => {
  await product?.close()
})

const shown = async (count: number): Promise<void> => {
  await expect.poll(() => agent.evaluate(ITEMS), { timeout: 120_000 }).toBe(count)
}
const ofList = <T>(what: string): Promise<T> =>
  agent.evaluate(`(() => { const list = ${LIST}; return ${what} })()`)
/** The last message, and whether it is in view. Playwright's locators would read every message. */
const end = (): Promise<unknown> =>
  ofList(
    '[[...list.querySelectorAll(".bubble")].at(-1).textContent, list.scrollHeight - list.scrollTop - list.clientHeight < 2]',
  )
const messages = (): Promise<number> => ofList('list.querySelectorAll(".message").length')

it('SND-306 one more short message does not stall the console, whatever has been written before', async () => {
  await visitor.evaluate(
    `(async () => { const text = 'http://a.b '.repeat(744); for (let i = 0; i < ${LONG}; i++) await contact.sendText(text) })()`,
  )
  await shown(LONG)
  expect(await ofList('list.querySelectorAll("a").length / list.querySelectorAll(".message").length')).toBe(
    20,
  )
  await agent.evaluate(`{
    window.longest = 0
    const told = (list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration) }
    new PerformanceObserver(told).observe({ type: 'longtask' })
  }`)
  await visitor.evaluate(`contact.sendText('ping')`)
  await shown(LONG + 1)
  await agent.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))')
  const longest: number = await agent.evaluate('longest')
  console.log('longest task, ms', longest)
  expect(longest).toBeLessThan(STALL_MS)
}, 180_000)

it('SND-306 SND-312 a long conversation shows its end, and earlier messages where somebody scrolls back', async () => {
  await visitor.evaluate(
    `(async () => { for (let i = 0; i < ${MANY}; i++) await contact.sendText('n' + i) })()`,
  )
  await shown(LONG + 1 + MANY)
  await expect.poll(messages).toBe(100)
  await agent
    .getByText(`n${MANY - 1}`, { exact: true })
    .last()
    .waitFor()
  await ofList('void (window.seen = list.querySelectorAll(".message")[1])')
  await ofList('void (list.scrollTop = 300)')
  const top = (): Promise<number> => agent.evaluate('Math.round(window.seen.getBoundingClientRect().top)')
  const before = await top()
  await expect.poll(messages).toBe(LONG + 1 + MANY)
  expect(Math.abs((await top()) - before)).toBeLessThan(2)
  expect(await ofList('list.ariaLive')).toBe('off')
  await visitor.evaluate(`contact.sendText('news')`)
  await expect.poll(messages).toBe(LONG + 2 + MANY)
  expect(await ofList('list.ariaLive')).toBe('polite')
  await ofList('list.getRootNode().querySelector(".newer").click()')
  await expect.poll(end).toEqual(['news', true])
  await visitor.evaluate(`contact.sendText('more')`)
  await expect.poll(messages).toBe(100)
}, 120_000)
