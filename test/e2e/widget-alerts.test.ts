/** What calls a visitor back who looks elsewhere: title, badge, sound, notifications, and a call that rings. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look as audit } from '../support/looks.ts'
import { allowNotices, isRinging, look, noted, notedPage } from '../support/noted-alerts.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let visitor: Page
let agent: Page
let title: string

const tones = async (): Promise<number> => (await noted(visitor)).tones
const said = async (text: string): Promise<void> => {
  await at(agent, 'composer').fill(text)
  await agent.keyboard.press('Enter')
}
async function titled(text: string): Promise<void> {
  await expect.poll(() => visitor.title()).toBe(text)
}
const newest = async (): Promise<unknown> => (await noted(visitor)).notices.at(-1)

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  agent.setDefaultTimeout(10_000)
  visitor = await notedPage(chromium, `${product.url}/visitor/?lang=en`, { hasClock: true })
  title = await visitor.title()
  await at(agent, 'ready-switch').click()
  await at(visitor, 'launcher').click()
  await at(visitor, 'nick').fill('Robin')
  await at(visitor, 'start').click()
  await at(agent, 'accept-contact').click()
  await at(visitor, 'peer-name').filter({ hasText: 'Ada' }).waitFor()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('alerts of the widget', () => {
  it('PRD-10 the browser is asked for notifications at the click of the bell alone, which goes with the answer', async () => {
    expect((await noted(visitor)).asked).toBe(0)
    await at(visitor, 'notify-me').click()
    expect((await noted(visitor)).asked).toBe(1)
    await allowNotices(visitor)
    await at(visitor, 'notify-me').waitFor({ state: 'hidden' })
  })

  it('PRD-10 what is read as it comes is no news', async () => {
    const before = await noted(visitor)
    await said('Good morning')
    await at(visitor, 'messages').getByText('Good morning').waitFor()
    expect([await visitor.title(), await noted(visitor)]).toEqual([title, before])
  })

  it('PRD-10 a message behind the closed panel counts in title and badge and sounds; who sees the page is not notified', async () => {
    const before = await tones()
    await at(visitor, 'close-panel').click()
    await said('Two are left.')
    await titled(`(1) ${title}`)
    expect(await at(visitor, 'unread').innerText()).toMatch(/^1/)
    await visitor.getByRole('button', { name: 'Chat with us 1 new message', exact: true }).waitFor()
    expect(await noted(visitor)).toMatchObject({ tones: before + 1, badges: [1], notices: [] })
  })

  it('PRD-10 a hidden page notifies, and takes the notification back when the messages are read', async () => {
    const before = await tones()
    await look(visitor, 'hidden')
    await said('Shall I keep one?')
    await titled(`(2) ${title}`)
    const told = { body: '2 new messages', isSilent: false, wasShown: true }
    await expect.poll(newest).toEqual({ ...told, isClosed: false })
    expect(await tones()).toBe(before + 1)
    await look(visitor, 'visible')
    await at(visitor, 'launcher').click()
    await titled(title)
    expect([(await noted(visitor)).badges, await newest()]).toEqual([[1, 2, 0], { ...told, isClosed: true }])
  })

  it('PRD-10 a call opens the panel and rings until it is answered', async () => {
    await at(visitor, 'close-panel').click()
    await look(visitor, 'hidden')
    const before = await tones()
    await at(agent, 'call-voice').click()
    await at(visitor, 'offer-card').waitFor()
    await expect.poll(newest).toMatchObject({ body: 'Ada is calling you', wasShown: true, isClosed: false })
    expect(await tones()).toBeGreaterThan(before)
    expect([await isRinging(visitor), await isRinging(visitor)]).toEqual([true, true])
    await look(visitor, 'visible')
    await at(visitor, 'accept-offer').click()
    await at(visitor, 'hangup').waitFor()
    expect([await isRinging(visitor), await newest()]).toEqual([
      false,
      expect.objectContaining({ isClosed: true }),
    ])
    await at(visitor, 'hangup').click()
    await at(visitor, 'hangup').waitFor({ state: 'detached' })
  })

  it('PRD-275 UI-13 a visitor turns the sound off by the keyboard, also of a call that rings, and for the next page', async () => {
    const sounds = at(visitor, 'sounds')
    const before = await tones()
    await at(agent, 'call-voice').click()
    await at(visitor, 'offer-card').waitFor()
    expect(await isRinging(visitor)).toBe(true)
    await sounds.press('Enter')
    expect([await isRinging(visitor), await sounds.getAttribute('aria-checked')]).toEqual([false, 'false'])
    expect(await tones()).toBeGreaterThan(before)
    await at(agent, 'cancel-call').click()
    await at(visitor, 'offer-card').waitFor({ state: 'detached' })
    await audit(visitor, 'no-sounds')
    await look(visitor, 'hidden')
    const silent = await tones()
    await said('Can you hear this?')
    await expect.poll(newest).toMatchObject({ body: '1 new message', isSilent: true })
    expect(await tones()).toBe(silent)
    await look(visitor, 'visible')
    await visitor.reload()
    expect(await sounds.getAttribute('aria-checked')).toBe('false')
    await sounds.press('Enter')
    await visitor.reload()
    expect(await sounds.getAttribute('aria-checked')).toBe('true')
  })

  it('PRD-10 nothing sounds or rings where the site says so; title and notification are silent', async () => {
    await visitor.evaluate(`document.querySelector('duolog-widget').silent = true`)
    await look(visitor, 'hidden')
    expect(await at(visitor, 'sounds').count()).toBe(0)
    const before = await tones()
    await said('Are you there?')
    await expect.poll(newest).toMatchObject({ body: '1 new message', isSilent: true, wasShown: true })
    await at(agent, 'call-voice').click()
    await expect.poll(newest).toMatchObject({ body: 'Ada is calling you', isSilent: true })
    expect([await isRinging(visitor), await tones()]).toEqual([false, before])
    await at(agent, 'cancel-call').click()
    await expect.poll(newest).toMatchObject({ isClosed: true })
    await titled(`(1) ${title}`)
    await look(visitor, 'visible')
    await titled(title)
    expect(chromium.pageErrors).toEqual([])
  })

  it('PRD-10 a visitor who has refused notifications is not asked again, and has title and sound', async () => {
    const kim = await notedPage(chromium, `${product.url}/visitor/?lang=en`, { notifications: 'denied' })
    await at(kim, 'launcher').click()
    await at(kim, 'nick').fill('Kim')
    await at(kim, 'start').click()
    await at(at(agent, 'incoming').filter({ hasText: 'Kim' }), 'accept-contact').click()
    await at(kim, 'peer-name').filter({ hasText: 'Ada' }).waitFor()
    expect(await at(kim, 'notify-me').count()).toBe(0)
    await look(kim, 'hidden')
    await said('Hello Kim')
    await expect.poll(() => kim.title()).toBe(`(1) ${title}`)
    expect(await noted(kim)).toMatchObject({ tones: 1, asked: 0, badges: [1], notices: [] })
    await kim.context().close()
  })
})
