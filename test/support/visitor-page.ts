/** A visitor's page without the widget: the SDK as the service serves it, driven from the test. */
import type { BrowserContext, Page } from 'playwright-core'
import type { Contact, ContactOptions } from '../../sdk/index.ts'
import type { ChromiumUnderTest } from './chromium.ts'

declare global {
  var __contact: Contact
}

/**
 * Starts a contact on a new page of its own visitor; in the page it is `__contact`, and it acknowledges
 * texts.
 */
export async function contactPage(
  browser: ChromiumUnderTest,
  service: string,
  options: ContactOptions,
  context?: BrowserContext,
): Promise<Page> {
  const page = await browser.newPage(`${service}/visitor/`, context)
  // As a string: the test runner would rewrite the import.
  await page.evaluate(`import('/sdk/duolog.js').then(async ({ createClient }) => {
    globalThis.__contact = await createClient({ service: location.origin }).createContact(${JSON.stringify(options)})
    __contact.on('text', () => {})
  })`)
  return page
}

/** Sends texts, one after the other. */
export const say = (page: Page, ...texts: readonly string[]): Promise<void> =>
  page.evaluate(async (all) => {
    for (const text of all) await globalThis.__contact.sendText(text)
  }, texts)
