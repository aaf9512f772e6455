/** The visitor's widget without a mouse, and as a screen reader is told of it. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { focusOf, tabTo } from '../support/keyboard.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let visitor: Page
let agent: Page

const at = (page: Page, id: string): Locator => page.getByTestId(id)
const focusId = async (): Promise<string> => (await focusOf(visitor)).id
const press = (...keys: readonly string[]): Promise<void> =>
  keys.reduce((before, key) => before.then(() => visitor.keyboard.press(key)), Promise.resolve())

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  visitor = await chromium.newPage(`${product.url}/visitor/`)
  for (const page of [visitor, agent]) page.setDefaultTimeout(10_000)
  await at(agent, 'ready-switch').click()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('the widget with the keyboard alone', () => {
  it('UI-1 a contact is started: what is missing is said, and the focus goes where it is needed', async () => {
    await tabTo(visitor, 'launcher')
    await press('Enter')
    await expect.poll(focusId).toBe('nick')
    await tabTo(visitor, 'start')
    await press('Enter')
    await visitor.getByRole('alert').filter({ hasText: 'Please tell us your name.' }).waitFor()
    await expect.poll(focusId).toBe('nick')
    await visitor.keyboard.type('Robin')
    expect(await tabTo(visitor, 'first-message')).toEqual(['first-message'])
    await visitor.keyboard.type('Is it oak?')
    expect(await tabTo(visitor, 'start')).toEqual(['start'])
    await press('Space')
    await expect.poll(focusId).toBe('composer')
    await at(agent, 'accept-contact').click()
    await at(visitor, 'call-voice').waitFor()
  })

  it('UI-1 every control of the conversation is reached in order, forwards and backwards, and its focus is seen', async () => {
    const order = [
      'sounds',
      'leave',
      'close-panel',
      'messages',
      'call-voice',
      'call-video',
      'share-screen',
      'attach-file',
      'emoji',
      'voice-note',
      'composer',
      'send',
    ]
    await tabTo(visitor, 'composer')
    expect(await tabTo(visitor, 'sounds', 'Shift+Tab')).toEqual(order.slice(0, -2).toReversed())
    expect(await tabTo(visitor, 'send')).toEqual(order.slice(1))
  })

  it('UI-1 Escape closes the panel, and the focus goes to the button that opens it again', async () => {
    await press('Escape')
    await expect.poll(focusId).toBe('launcher')
    await press('Space')
    await expect.poll(focusId).toBe('composer')
  })

  it('UI-1 a call is answered, muted and ended, and the focus is never lost', async () => {
    await at(agent, 'call-voice').click()
    await at(visitor, 'accept-offer').waitFor()
    await tabTo(visitor, 'accept-offer', 'Shift+Tab')
    await press('Enter')
    await expect.poll(focusId).toBe('hangup')
    await tabTo(visitor, 'mute-audio', 'Shift+Tab')
    await press('Space')
    await expect.poll(() => at(visitor, 'mute-audio').getAttribute('aria-pressed')).toBe('true')
    await tabTo(visitor, 'hangup')
    await press('Enter')
    await at(visitor, 'hangup').waitFor({ state: 'detached' })
    await expect.poll(focusId).toBe('composer')
    await at(visitor, 'messages').getByText('Voice call ended').waitFor()
  })

  it('UI-2 each message is given to a screen reader once: nothing of the list is added a second time', async () => {
    await at(visitor, 'messages').evaluate((element) => {
      const news: string[] = []
      Object.assign(globalThis, { __news: news })
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records) {
          for (const node of addedNodes)
            if (node.textContent?.trim()) news.push(node.textContent.replaceAll(/\s+/g, ' ').trim())
          for (const node of removedNodes)
            if (node.textContent?.trim()) news.push(`gone: ${node.textContent}`)
        }
      }).observe(element, { childList: true, subtree: true })
    })
    const news = (): Promise<string[]> =>
      visitor.evaluate(() => (globalThis as unknown as { __news: string[] }).__news)
    for (const text of ['one', 'two']) {
      await at(agent, 'composer').fill(text)
      await agent.keyboard.press('Enter')
    }
    const told = async (): Promise<unknown> =>
      (await news()).map((text) => /one|two|three/.exec(text)?.[0] ?? text)
    await expect.poll(told).toEqual(['one', 'two'])
    await visitor.keyboard.type('three')
    await press('Enter')
    await visitor
      .locator(':is([data-delivery=delivered], [data-delivery=read])')
      .filter({ hasText: 'three' })
      .waitFor()
    await expect.poll(told).toEqual(['one', 'two', 'three'])
    expect((await news())[0]).toMatch(/Ada/)
    const tree = await visitor.getByRole('log', { name: 'Messages' }).ariaSnapshot()
    for (const text of ['one', 'two', 'three']) expect(tree.split(text).length - 1).toBe(1)
  })

  it('UI-1 the chat is ended after a question, and a new one can be started', async () => {
    await tabTo(visitor, 'leave', 'Shift+Tab')
    await press('Enter')
    await expect.poll(focusId).toBe('confirm-no')
    await press('Escape')
    await expect.poll(focusId).toBe('leave')
    await press('Enter')
    await tabTo(visitor, 'confirm-yes')
    await press('Enter')
    await expect.poll(focusId).toBe('start-again')
    await press('Enter')
    await expect.poll(focusId).toBe('first-message')
    expect(chromium.pageErrors).toEqual([])
  })
})
