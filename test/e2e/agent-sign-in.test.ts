/** Agents sign in at a real OpenID Connect provider, by mouse and keyboard. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { providerOptions, startIdentityProvider } from '../support/identity-provider.ts'
import type { IdentityProvider } from '../support/identity-provider.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { contactPage } from '../support/visitor-page.ts'
import { at } from '../support/pages.ts'

let product: StartedProduct
let provider: IdentityProvider
let chromium: ChromiumUnderTest
let ada: Page

/** All that the tab stores. */
const stored = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]))
async function signInAs(page: Page, name: string): Promise<void> {
  await at(page, 'sign-in').click()
  await page.locator('[name=login]').fill(name)
  await page.keyboard.press('Enter')
}

beforeAll(async () => {
  const port = await freePort()
  product = await startProduct(providerOptions(port))
  provider = await startIdentityProvider({ port, console: `${product.url}/agent/` })
  chromium = await launchChromium()
  ada = await chromium.newPage(`${product.url}/agent/?lang=en`)
  ada.setDefaultTimeout(10_000)
})
afterAll(async () => {
  await chromium?.close()
  await provider?.close()
  await product?.stop()
})

describe('signing in at a provider', () => {
  it('UI-13 PRD-50 an agent signs in by redirect, is named by the claims, and takes a contact', async () => {
    await ada.locator('[data-testid=sign-in-elsewhere][data-way=oidc]').waitFor()
    await look(ada, 'sign-in')
    await signInAs(ada, 'ada')
    await at(ada, 'agent-nick').filter({ hasText: 'Ada Lovelace' }).waitFor()
    expect(ada.url()).toBe(`${product.url}/agent/?lang=en`)
    await at(ada, 'ready-switch').click()
    await contactPage(chromium, product.url, { nick: 'Robin' })
    await at(ada, 'accept-contact').click()
    await at(ada, 'composer').waitFor()
  })

  it('PRD-51 no token is stored while the page is there, nor has a duplicated tab one', async () => {
    expect(await stored(ada)).not.toMatch(/eyJ|refresh|duolog-agent-s/)
  })

  it('PRD-51 the agent stays signed in when the page is loaded again, and in the contact', async () => {
    await ada.reload()
    await at(ada, 'agent-nick').filter({ hasText: 'Ada Lovelace' }).waitFor()
    await at(ada, 'contact-item').first().waitFor()
    expect(await stored(ada)).not.toMatch(/eyJ|refresh|duolog-agent-s/)
  })

  it('UI-13 PRD-50 who is no agent is refused in words', async () => {
    const eve = await chromium.newPage(`${product.url}/agent/?lang=en`)
    await signInAs(eve, 'eve')
    await at(eve, 'sign-in-failure').filter({ hasText: 'This account is not an agent’s.' }).waitFor()
    expect(await at(eve, 'agent-nick').count()).toBe(0)
    await look(eve, 'refused')
    // The provider knows her yet, and asks all the same: she may have another account.
    await signInAs(eve, 'ada')
    await at(eve, 'agent-nick').filter({ hasText: 'Ada Lovelace' }).waitFor()
    await eve.context().close()
  })

  it('PRD-52 signing out ends the session at the provider and leaves nothing', async () => {
    await at(ada, 'sign-out').click()
    await ada.waitForURL(/\/session\/end/)
    await ada.locator('button[name=logout]').click()
    await at(ada, 'sign-in').waitFor()
    expect(await stored(ada)).not.toMatch(/eyJ|refresh|duolog-agent-s/)
    await at(ada, 'sign-in').click()
    await ada.locator('[name=login]').waitFor()
  })
})
