/** What who waits reads of the queue: the place, and how long it takes by the contacts that were taken lately. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'
import { contactPage } from '../support/visitor-page.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let agent: Page

async function wait(nick: string): Promise<Page> {
  const page = await chromium.newPage(`${product.url}/visitor/?lang=en`)
  page.setDefaultTimeout(10_000)
  await at(page, 'launcher').click()
  await at(page, 'nick').fill(nick)
  await at(page, 'start').click()
  await at(page, 'queue').waitFor()
  return page
}
async function told(page: Page, text: string): Promise<void> {
  await expect.poll(() => at(page, 'queue').innerText()).toBe(text)
}
async function take(nick: string): Promise<void> {
  await at(at(agent, 'incoming').filter({ hasText: nick }), 'accept-contact').click()
  await at(agent, 'contact-item').filter({ hasText: nick }).waitFor()
}
const setReady = async (isReady: boolean): Promise<void> => {
  await at(agent, 'ready-switch').click()
  await agent.locator(`[data-testid=ready-switch][aria-checked=${isReady}]`).waitFor()
}

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  agent.setDefaultTimeout(10_000)
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

it('PRD-273 reads the place alone where nobody was taken, then minutes for each contact before, then less', async () => {
  const robin = await wait('Robin')
  await told(robin, 'Your place in the queue: 1.')
  await setReady(true)
  await take('Robin')
  await at(robin, 'queue').waitFor({ state: 'detached' })
  await setReady(false)
  const [kim, lee] = [await wait('Kim'), await wait('Lee')]
  await told(kim, 'Your place in the queue: 1. It takes about 10 minutes.')
  await told(lee, 'Your place in the queue: 2. It takes about 20 minutes.')
  await setReady(true)
  await take('Kim')
  await told(lee, 'Your place in the queue: 1. It takes about 5 minutes.')
  await at(at(agent, 'incoming').filter({ hasText: 'Lee' }), 'decline-contact').click()
  await setReady(false)
  await at(lee, 'leave').click()
  await at(lee, 'confirm-yes').click()
  expect(chromium.pageErrors).toEqual([])
})

it('PRD-273 reads that it takes less than a minute where contacts are taken quickly', async () => {
  await setReady(true)
  const nicks = Array.from({ length: 9 }, (_each, index) => `Quick ${index}`)
  for (const nick of nicks) {
    const page = await contactPage(chromium, product.url, { nick })
    await take(nick)
    await agent.locator('[data-testid=conversation-status][data-stage=talking]').waitFor()
    await at(agent, 'end-contact').click()
    await at(agent, 'confirm-yes').click()
    await at(agent, 'dismiss-contact').click()
    await page.context().close()
  }
  await setReady(false)
  const lou = await wait('Lou')
  await told(lou, 'Your place in the queue: 1. It takes less than a minute.')
  await lou.context().close()
  expect(chromium.pageErrors).toEqual([])
})
