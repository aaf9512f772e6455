/**
 * A message that is left where nobody is there, and its answer. With `DUOLOG_SHOTS=path` it also takes pictures.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'

let product: StartedProduct
let browser: ChromiumUnderTest
/** The browser of a visitor, whose pages come and go. */
let visitor: BrowserContext

/** A minute of a day that is neither today nor tomorrow. */
const DAYS = ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa']
const HOURS = `${DAYS[(new Date().getDay() + 3) % 7]} 00:00-00:01`

const openPage = (): Promise<Page> => browser.newPage(`${product.url}/visitor/`, visitor)

beforeAll(async () => {
  product = await startProduct()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

/** An agent who is there from now on, takes what waits and answers it. */
async function answerAll(text: string): Promise<Page> {
  const agent = await browser.newPage(`${product.url}/agent/?nick=Ada`)
  await at(agent, 'ready-switch').click()
  await at(agent, 'for-later').waitFor()
  await look(agent, 'later-offered', 'main')
  await at(agent, 'accept-contact').click()
  await at(agent, 'composer').fill(text)
  await agent.keyboard.press('Enter')
  await agent.getByText(text).last().waitFor()
  return agent
}

it('PRD-31 UI-13 where nobody is there a message is left, and its answer is there when the visitor comes back', async () => {
  visitor = await browser.browser.newContext()
  const first = await openPage()
  await at(first, 'launcher').click()
  await at(first, 'nick').fill('Robin')
  await at(first, 'start').click()
  await first.getByText('Please fill this in.').waitFor()
  await first.locator(':focus').and(at(first, 'first-message')).waitFor()
  expect(await at(first, 'closed').innerText()).toContain('Leave us a message')
  await look(first, 'later-unattended', 'duolog-widget')
  await first.keyboard.type('Where is my parcel?')
  await at(first, 'start').click()
  await expect.poll(() => at(first, 'waiting').innerText()).toContain('You may close this page')
  await first.getByText('Where is my parcel?').waitFor()
  await look(first, 'later-waiting', 'duolog-widget')
  await at(first, 'leave').click()
  await first.getByText('Your message will be withdrawn').waitFor()
  await at(first, 'confirm-no').click()
  await first.close()
  const agent = await answerAll('It arrives tomorrow')
  await at(agent, 'end-contact').click()
  await at(agent, 'confirm-yes').click()
  await at(agent, 'dismiss-contact').waitFor()
  await agent.close()

  const next = await openPage()
  await expect.poll(() => at(next, 'unread').innerText()).toContain('1')
  expect(await at(next, 'launcher').innerText()).toContain('Your message has an answer.')
  await at(next, 'launcher').click()
  await next.getByText('It arrives tomorrow').waitFor()
  await look(next, 'later-answered', 'duolog-widget')
  await next.close()

  const last = await openPage()
  await at(last, 'launcher').click()
  expect(await at(last, 'unread').count()).toBe(0)
  await at(last, 'earlier').click()
  await last.getByText('It arrives tomorrow').waitFor()
  await at(last, 'earlier-back').click()
  await at(last, 'earlier-contact').waitFor()
  await at(last, 'earlier-back').click()
  await at(last, 'nick').fill('Robin')
  await at(last, 'start').click()
  await at(last, 'waiting').waitFor()
  await at(last, 'leave').click()
  await at(last, 'confirm-yes').click()
  await at(last, 'ending').waitFor()
  await last.reload()
  await at(last, 'start-form').waitFor({ state: 'attached' })
  expect(await at(last, 'earlier').count()).toBe(0)
  await visitor.close()
})

it('UI-13 PRD-4 a field that is missed comes into view with its label and with what is wrong', async () => {
  visitor = await browser.browser.newContext()
  const page = await openPage()
  await page.evaluate(() => document.querySelector('duolog-widget')?.setAttribute('height', '320px'))
  await at(page, 'launcher').click()
  await at(page, 'start').press('Enter')
  await page.locator(':focus').and(at(page, 'nick')).waitFor()
  const isInView = (selector: string): Promise<boolean> =>
    page.locator(`duolog-start-form ${selector}`).evaluate((each) => {
      const [form] = [(each.getRootNode() as ShadowRoot).host.getBoundingClientRect()]
      const { top, bottom } = each.getBoundingClientRect()
      return top >= form.top && bottom <= form.bottom
    })
  expect([await isInView('label[for=nick]'), await isInView('#nick'), await isInView('#nick-error')]).toEqual(
    [true, true, true],
  )
  await visitor.close()
})

it('PRD-31 out of hours the form asks for a message and says what becomes of it', async () => {
  visitor = await browser.browser.newContext()
  const page = await openPage()
  await page.evaluate((hours) => document.querySelector('duolog-widget')?.setAttribute('hours', hours), HOURS)
  await at(page, 'launcher').click()
  expect(await at(page, 'closed').innerText()).toContain('Leave us a message')
  await at(page, 'nick').fill('Robin')
  await at(page, 'start').click()
  await page.getByText('Please fill this in.').waitFor()
  await look(page, 'later-form', 'duolog-widget')
  await page.keyboard.type('Call me')
  await at(page, 'start').click()
  await expect.poll(() => at(page, 'waiting').innerText()).toContain('You may close this page')
  await visitor.close()
})
