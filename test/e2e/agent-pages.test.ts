/** Two consoles of one agent, as two windows of a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'
import { contactPage, say } from '../support/visitor-page.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let identity: string

const isReady = (page: Page): Promise<string | null> => at(page, 'ready-switch').getAttribute('aria-checked')
async function consoleOf(): Promise<Page> {
  const context = await chromium.browser.newContext()
  await context.addInitScript((kept) => {
    if (sessionStorage.length === 0) sessionStorage.setItem('duolog-agent', kept)
  }, identity)
  const page = await chromium.newPage(`${product.url}/agent/?lang=en`, context)
  page.setDefaultTimeout(15_000)
  await at(page, 'ready-switch').waitFor()
  return page
}

beforeAll(async () => {
  product = await startProduct([])
  chromium = await launchChromium()
  const response = await fetch(`${product.url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick: 'Ada' }),
  })
  identity = await response.text()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('consoles of one agent', () => {
  it('SRV-10 UI-3 show alike whether the agent takes contacts, whichever changes it', async () => {
    const first = await consoleOf()
    await at(first, 'ready-switch').click()
    await expect.poll(() => isReady(first)).toBe('true')
    const second = await consoleOf()
    await expect.poll(() => isReady(second)).toBe('true')
    await at(second, 'ready-switch').click()
    await expect.poll(() => isReady(first)).toBe('false')
    await first.close()
    await second.close()
  })

  it('SRV-11 UI-3 a contact taken in one is in the other, which has it when the one that took it is closed', async () => {
    const [first, second] = [await consoleOf(), await consoleOf()]
    await at(second, 'ready-switch').click()
    await expect.poll(() => isReady(first)).toBe('true')
    const robin = await contactPage(chromium, product.url, { nick: 'Robin' })
    await at(second, 'accept-contact').click()
    await at(second, 'composer').waitFor()
    await at(first, 'contact-item').filter({ hasText: 'Robin' }).click()
    await say(robin, 'Is anybody there?')
    await at(first, 'messages').getByText('Is anybody there?').waitFor()
    await second.close()
    await at(first, 'composer').fill('Yes, I am')
    await first.keyboard.press('Enter')
    await expect
      .poll(() =>
        robin.evaluate(async () =>
          (await globalThis.__contact.readTranscript()).messages.map(
            (each) => each.type === 'text' && each.text,
          ),
        ),
      )
      .toContain('Yes, I am')
    await robin.evaluate(`globalThis.__contact.leave()`)
  })
})
