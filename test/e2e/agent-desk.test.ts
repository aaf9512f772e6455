/**
 * What agents work with beside a conversation, by the keyboard: notes, canned replies, past contacts, the overview.
 * `DUOLOG_SHOTS`: beginning of the paths of pictures for whoever changes the pages.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { focusOf, tabTo } from '../support/keyboard.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { temporaryData } from '../support/temporary-data.ts'
import { contactPage, say } from '../support/visitor-page.ts'
import { at } from '../support/pages.ts'

const NOTE = 'Has called twice about the lamp 4711'
const REPLIES = [{ shortcut: 'hello', text: 'Hello {visitor}, this is {agent}.' }]

let product: StartedProduct
let chromium: ChromiumUnderTest
let ada: Page
let bo: Page
let robin: Page
const files = temporaryData()

const focusId = async (page: Page): Promise<string> => (await focusOf(page)).id
/** A console of an agent who has rights, as a local sign-in gives them. */
async function consoleOf(nick: string, rights: readonly string[]): Promise<Page> {
  const response = await fetch(`${product.url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick, rights }),
  })
  const identity = await response.text()
  const context = await chromium.browser.newContext()
  await context.addInitScript((kept) => sessionStorage.setItem('duolog-agent', kept), identity)
  const page = await chromium.newPage(`${product.url}/agent/?lang=en`, context)
  await page.setViewportSize({ width: 1280, height: 800 })
  page.setDefaultTimeout(10_000)
  await at(page, 'ready-switch').waitFor()
  return page
}

beforeAll(async () => {
  const replies = join(files.folder, 'replies.json')
  writeFileSync(replies, JSON.stringify(REPLIES))
  product = await startProduct(['--replies', replies])
  chromium = await launchChromium()
  ada = await consoleOf('Ada', [])
  bo = await consoleOf('Bo', ['supervise', 'listen'])
  await at(ada, 'ready-switch').click()
  robin = await contactPage(chromium, product.url, { nick: 'Robin', lang: 'en' })
  await at(ada, 'accept-contact').click()
  await at(ada, 'composer').waitFor()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
  files.remove()
})

describe('private notes', () => {
  it('UI-13 PRD-170 are written by keyboard, marked as not seen by the visitor, and never reach them', async () => {
    await tabTo(ada, 'note-text')
    await expect
      .poll(() => at(ada, 'notes-hint').innerText())
      .toBe('For agents only. The visitor never sees them.')
    await ada.keyboard.type(NOTE)
    await ada.keyboard.press('Control+Enter')
    await at(ada, 'note').filter({ hasText: NOTE }).waitFor()
    expect([await focusId(ada), await at(ada, 'note-text').inputValue()]).toEqual(['note-text', ''])
    await look(ada, 'notes')
    const region = ada.getByRole('region', { name: 'Private notes' })
    await region.getByText(NOTE).waitFor()
    expect(await region.evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe('dashed')
    const seen = await robin.evaluate(async () => {
      const { messages } = await globalThis.__contact.readTranscript()
      return JSON.stringify([messages, globalThis.__contact.data()])
    })
    expect(seen).not.toContain('lamp 4711')
  })

  it('PRD-170 a draft stays with its contact', async () => {
    const kim = await contactPage(chromium, product.url, { nick: 'Kim' })
    await at(ada, 'note-text').fill('a draft about Robin')
    await at(ada, 'accept-contact').click()
    await expect.poll(() => at(ada, 'peer-name').innerText()).toBe('Kim')
    await expect.poll(() => at(ada, 'note-text').inputValue()).toBe('')
    expect(await at(ada, 'note').count()).toBe(0)
    await at(ada, 'contact-item').filter({ hasText: 'Robin' }).click()
    await expect.poll(() => at(ada, 'note-text').inputValue()).toBe('a draft about Robin')
    await at(ada, 'note-text').fill('')
    await at(ada, 'contact-item').filter({ hasText: 'Kim' }).click()
    await at(ada, 'end-contact').click()
    await at(ada, 'confirm-yes').click()
    await at(ada, 'dismiss-contact').click()
    await kim.close()
    await at(ada, 'contact-item').filter({ hasText: 'Robin' }).click()
  })
})

describe('canned replies', () => {
  it('UI-13 PRD-171 an own one is added by keyboard, and a wrong shortcut is said', async () => {
    await at(ada, 'show-replies').press('Enter')
    await at(ada, 'replies-dialog').waitFor()
    await at(ada, 'shared-reply').filter({ hasText: '/hello' }).waitFor()
    await at(ada, 'reply-shortcut').fill('two words')
    await at(ada, 'reply-text').fill('x')
    await at(ada, 'reply-save').press('Enter')
    await ada.getByRole('alert').filter({ hasText: 'A shortcut has letters' }).waitFor()
    expect(await focusId(ada)).toBe('reply-shortcut')
    await at(ada, 'reply-shortcut').fill('/help')
    await at(ada, 'reply-text').fill('How can I help, {visitor}?')
    await ada.keyboard.press('Tab')
    await ada.keyboard.press('Enter')
    await at(ada, 'own-reply').filter({ hasText: '/help' }).waitFor()
    await look(ada, 'replies')
    await ada.keyboard.press('Escape')
    await expect.poll(() => focusId(ada)).toBe('show-replies')
  })

  it('UI-13 PRD-174 a slash opens the list, arrows choose, Enter takes one, and only the next Enter sends it', async () => {
    await at(ada, 'composer').focus()
    await ada.keyboard.type('/h')
    await expect.poll(() => at(ada, 'reply-option').count()).toBe(2)
    await look(ada, 'reply-list')
    await expect.poll(() => at(ada, 'reply-status').innerText()).toMatch(/^2 canned replies\..*\/hello/)
    await ada.keyboard.press('ArrowDown')
    await expect.poll(() => at(ada, 'reply-status').innerText()).toMatch(/\/help: How can I help, Robin\?$/)
    await ada.keyboard.press('ArrowDown')
    await ada.keyboard.press('Enter')
    await expect.poll(() => at(ada, 'composer').inputValue()).toBe('Hello Robin, this is Ada.')
    expect(await at(ada, 'reply-list').count()).toBe(0)
    await ada.keyboard.press('Enter')
    await at(ada, 'messages').getByText('Hello Robin, this is Ada.').waitFor()
    await ada.keyboard.type('/nothing')
    await at(ada, 'reply-list').getByText('No canned reply has this shortcut.').waitFor()
    await ada.keyboard.press('Escape')
    await at(ada, 'reply-list').waitFor({ state: 'detached' })
    expect(await at(ada, 'composer').inputValue()).toBe('/nothing')
    await at(ada, 'composer').fill('')
  })
})

describe('the overview', () => {
  it('UI-13 PRD-178 is there for those with the right alone, and shows contacts and agents live', async () => {
    expect(await at(ada, 'view-overview').count()).toBe(0)
    await at(bo, 'view-overview').press('Enter')
    await at(bo, 'overview-contact').filter({ hasText: 'Robin' }).filter({ hasText: 'Ada' }).waitFor()
    await expect.poll(() => at(bo, 'figure-waiting').innerText()).toBe('0')
    const kim = await contactPage(chromium, product.url, { nick: 'Kim', tags: ['nobody'] })
    await at(bo, 'overview-waiting').filter({ hasText: 'Kim' }).waitFor()
    await expect.poll(() => at(bo, 'figure-waiting').innerText()).toBe('1')
    await look(bo, 'overview')
    await kim.evaluate(() => globalThis.__contact.leave())
    await kim.close()
  })

  it('UI-13 PRD-181 text is listened to as it is written, and the visitor sees one agent as before', async () => {
    const channels = () => robin.evaluate(() => globalThis.__contact.data().channels)
    const before = await channels()
    await at(bo, 'listen').first().press('Enter')
    await at(bo, 'read-text').filter({ hasText: 'Hello Robin, this is Ada.' }).waitFor()
    await say(robin, 'Is the lamp oak?')
    await at(bo, 'read-text').filter({ hasText: 'Is the lamp oak?' }).waitFor()
    expect(await channels()).toEqual(before)
    await look(bo, 'listening')
    await at(bo, 'listen-close').press('Enter')
    await at(bo, 'view-back').press('Enter')
    await expect.poll(() => focusId(bo)).toBe('view-overview')
  })
})

describe('after a transfer, and after the end', () => {
  it('PRD-170 the next agent reads the notes', async () => {
    await at(bo, 'ready-switch').click()
    await at(ada, 'transfer-contact').click()
    await at(ada, 'transfer-to-agent').check()
    await at(ada, 'transfer-what').fill('Bo')
    await at(ada, 'transfer-now').click()
    await at(bo, 'accept-contact').click()
    await at(bo, 'note').filter({ hasText: NOTE }).waitFor()
    expect(await at(bo, 'composer').isVisible()).toBe(true)
  })

  it('UI-13 PRD-175 an ended contact is found by its text and read, by keyboard', async () => {
    await say(robin, 'Then I take the walnut one')
    await at(bo, 'messages').getByText('walnut').waitFor()
    await at(bo, 'end-contact').click()
    await at(bo, 'confirm-yes').click()
    await at(bo, 'dismiss-contact').click()
    await at(bo, 'view-past').press('Enter')
    await expect.poll(() => focusId(bo)).toBe('past-text')
    await bo.keyboard.type('WALNUT')
    await bo.keyboard.press('Enter')
    await expect.poll(() => at(bo, 'past-status').innerText()).toBe('1 contact found.')
    await look(bo, 'past')
    await tabTo(bo, 'past-result')
    await bo.keyboard.press('Enter')
    await at(bo, 'read-text').filter({ hasText: 'Then I take the walnut one' }).waitFor()
    await look(bo, 'past-read')
    await at(bo, 'past-back').press('Enter')
    await expect.poll(() => focusId(bo)).toBe('past-result')
    expect(chromium.pageErrors).toEqual([])
  })
})
