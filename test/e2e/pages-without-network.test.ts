/** Pages that are loaded, or were used, while the service could not be reached. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { contactPage } from '../support/visitor-page.ts'
import { at } from '../support/pages.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

interface Network {
  readonly page: Page
  /** No request and no connection of the page reaches the service; its files do. */
  readonly setDown: (isDown: boolean) => Promise<void>
}

/** A page whose way to the service can be closed. */
async function pageOn(path: string): Promise<Network> {
  const page = await chromium.newPage()
  page.setDefaultTimeout(20_000)
  let isDown = false
  let cut = async (): Promise<void> => {}
  await page.routeWebSocket(/\/v1\/link/, (socket) => {
    if (isDown) return void socket.close()
    const service = socket.connectToServer()
    cut = async () => void (await Promise.all([socket.close(), service.close()]))
  })
  await page.route(/\/v1\//, (route) => (isDown ? route.abort() : route.continue()))
  await page.goto(`${product.url}${path}`)
  const setDown = async (down: boolean): Promise<void> => {
    isDown = down
    if (down) await cut()
  }
  return { page, setDown }
}

it('UI-13 SND-312 a visitor’s page that is loaded without a network says so, and has the conversation when it is back', async () => {
  const { page, setDown } = await pageOn('/visitor/')
  await at(page, 'launcher').click()
  await at(page, 'nick').fill('Tom')
  await at(page, 'first-message').fill('Is it oak?')
  await at(page, 'start').click()
  await at(page, 'message').waitFor()
  await setDown(true)
  await page.reload()
  await page.getByText('Your chat cannot be reached at the moment.').waitFor()
  await look(page, 'unreachable')
  expect(await at(page, 'start-form').count()).toBe(0)
  await setDown(false)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await at(page, 'composer').waitFor()
  await at(page, 'message').getByText('Is it oak?').waitFor()
  await at(page, 'leave').click()
  await at(page, 'confirm-yes').click()
  await at(page, 'ending').waitFor()
  await page.close()
})

it('UI-3 SND-312 a page whose browser is offline says so in each place, and sends a file that was chosen then when it is back', async () => {
  const { page, setDown } = await pageOn('/visitor/')
  const console = await chromium.newPage(`${product.url}/agent/?nick=Cleo`)
  await at(console, 'ready-switch').click()
  await at(page, 'launcher').click()
  await at(page, 'nick').fill('Ida')
  await at(page, 'start').click()
  await at(console, 'accept-contact').click()
  const status = at(page, 'conversation-status')
  await status.getByText('Connected').waitFor()
  await page.context().setOffline(true)
  await status.getByText('Offline').waitFor()
  await page.locator('[data-testid="banner"][data-connection="offline"]').waitFor()
  expect(await page.getByText('Connected', { exact: true }).count()).toBe(0)
  await at(page, 'file-input').setInputFiles({
    name: 'a.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('later'),
  })
  await at(page, 'message').filter({ hasText: 'a.txt' }).waitFor()
  await page.context().setOffline(false)
  await at(console, 'message').filter({ hasText: 'a.txt' }).waitFor()
  await status.getByText('Connected').waitFor()
  expect(await at(page, 'message').filter({ hasText: 'a.txt' }).count()).toBe(1)
  // The service is out of reach, and the browser has a network.
  await setDown(true)
  await status.getByText('Offline').waitFor()
  await look(page, 'offline')
  await setDown(false)
  await status.getByText('Connected').waitFor()
  for (const one of [page, console]) await one.close()
})

it('UI-13 SND-312 SND-310 a console that is loaded without a network has its contacts and presence when it is back', async () => {
  const { page, setDown } = await pageOn('/agent/?nick=Bea')
  await at(page, 'ready-switch').click()
  const visitor = await contactPage(chromium, product.url, { nick: 'Uma' })
  await at(page, 'accept-contact').click()
  await at(page, 'contact-item').waitFor()
  await page.locator('[data-stage=talking]').first().waitFor()
  await setDown(true)
  await page.reload()
  await at(page, 'console-failure').waitFor()
  await look(page, 'console-unreachable')
  expect([
    await at(page, 'contact-item').count(),
    await at(page, 'ready-switch').getAttribute('aria-checked'),
  ]).toEqual([0, 'false'])
  await setDown(false)
  await at(page, 'contact-item').waitFor()
  await expect.poll(() => at(page, 'ready-switch').getAttribute('aria-checked')).toBe('true')
  expect(await at(page, 'console-failure').count()).toBe(0)

  // An offer that goes while the console is offline.
  const second = await contactPage(chromium, product.url, { nick: 'Bob' })
  await at(page, 'incoming').waitFor()
  await setDown(true)
  await page.locator('[data-connection]:not([data-connection=online])').first().waitFor()
  await second.evaluate(() => globalThis.__contact.leave())
  await setDown(false)
  await at(page, 'incoming').waitFor({ state: 'detached' })
  for (const one of [visitor, second, page]) await one.close()
})
