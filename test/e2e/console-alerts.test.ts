/** What calls an agent who looks elsewhere: title, badge, sound, notifications, and a call that rings. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look as looked } from '../support/looks.ts'
import { allowNotices, choose, isRinging, look, noted, notedPage } from '../support/noted-alerts.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'
import { contactPage, say } from '../support/visitor-page.ts'

const TITLE = 'Agent’s console – Duolog'

let product: StartedProduct
let chromium: ChromiumUnderTest
let ada: Page
let robin: Page
let kim: Page

const tones = async (): Promise<number> => (await noted(ada)).tones
const bodies = async (): Promise<string[]> => (await noted(ada)).notices.map(({ body }) => body)
const isOn = (page: Page, id: string): Promise<string | null> => at(page, id).getAttribute('aria-checked')
const open = (name: string): Promise<void> => at(ada, 'contact-item').filter({ hasText: name }).click()
const shown = (name: string): Promise<void> =>
  ada.locator('[data-testid=contact-item][aria-current=true]').filter({ hasText: name }).waitFor()
const accept = (name: string): Promise<void> =>
  at(at(ada, 'incoming').filter({ hasText: name }), 'accept-contact').click()

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  ada = await notedPage(chromium, `${product.url}/agent/?nick=Ada&lang=en`, {
    notifications: 'granted',
    hasClock: true,
  })
  await at(ada, 'ready-switch').click()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('alerts of the console', () => {
  it('PRD-271 UI-13 the switches are used by keyboard; the browser is asked by the one for notifications alone', async () => {
    expect([await isOn(ada, 'alert-sound'), await isOn(ada, 'alert-notices')]).toEqual(['true', 'false'])
    expect((await noted(ada)).asked).toBe(0)
    await at(ada, 'show-replies').focus()
    await ada.keyboard.press('Tab')
    await ada.locator(':focus-visible').and(at(ada, 'alert-sound')).waitFor()
    await ada.keyboard.press('Tab')
    await ada.keyboard.press('Space')
    await ada.getByRole('switch', { name: 'Notifications', checked: true }).waitFor()
    await ada.getByRole('group', { name: 'Alerts' }).getByRole('switch', { name: 'Sound' }).waitFor()
    expect(await at(ada, 'alert-refusal').count()).toBe(0)
    await looked(ada, 'alerts')
  })

  it('PRD-270 an offered contact sounds and notifies once, and its notification goes with it', async () => {
    const before = await tones()
    robin = await contactPage(chromium, product.url, { nick: 'Robin', lang: 'en' })
    await at(ada, 'accept-contact').waitFor()
    await expect.poll(() => ada.title()).toBe(`(1) ${TITLE}`)
    const told = { body: 'New contact: Robin', isSilent: false, wasShown: true }
    await expect
      .poll(() => noted(ada))
      .toMatchObject({
        ...{ tones: before + 1, badges: [1], notices: [{ ...told, isClosed: false }] },
      })
    await accept('Robin')
    await at(ada, 'composer').waitFor()
    await expect.poll(() => ada.title()).toBe(TITLE)
    expect(await noted(ada)).toMatchObject({
      ...{ tones: before + 1, badges: [1, 0], notices: [{ ...told, isClosed: true }] },
    })
  })

  it('PRD-270 what is written in a contact that is shown is no news, but is while the page is hidden', async () => {
    const before = await noted(ada)
    await say(robin, 'Good morning')
    await at(ada, 'messages').getByText('Good morning').waitFor()
    expect([await ada.title(), await noted(ada)]).toEqual([TITLE, before])
    await look(ada, 'hidden')
    await say(robin, 'Hello?')
    await expect.poll(() => ada.title()).toBe(`(1) ${TITLE}`)
    await say(robin, 'Are you there?')
    await expect.poll(() => ada.title()).toBe(`(2) ${TITLE}`)
    expect((await bodies()).slice(before.notices.length)).toEqual([
      ...['Robin: 1 new message', 'Robin: 2 new messages'],
    ])
    expect(await tones()).toBe(before.tones + 2)
    await look(ada, 'visible')
    await expect.poll(() => ada.title()).toBe(TITLE)
    await expect.poll(async () => (await noted(ada)).notices.at(-1)?.isClosed).toBe(true)
  })

  it('PRD-270 a message of another contact notifies, and its notification leads to the contact', async () => {
    kim = await contactPage(chromium, product.url, { nick: 'Kim', lang: 'en' })
    await accept('Kim')
    await shown('Kim')
    await open('Robin')
    await say(kim, 'Is anybody there?')
    await expect.poll(async () => (await bodies()).at(-1)).toBe('Kim: 1 new message')
    await choose(ada)
    await shown('Kim')
    await at(ada, 'messages').getByText('Is anybody there?').waitFor()
    await ada.locator(':focus').and(at(ada, 'composer')).waitFor()
    await expect.poll(() => ada.title()).toBe(TITLE)
  })

  it('PRD-270 a call rings until it is answered; its notification is for a contact that is not shown', async () => {
    const call = `__contact.getMediaOffer().then((offer) =>
      void __contact.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'required' } }).catch(() => {}))`
    const before = await noted(ada)
    await robin.evaluate(call)
    await expect
      .poll(async () => (await bodies()).slice(before.notices.length))
      .toEqual(['Robin is calling you'])
    expect(await ada.title()).toBe(`(1) ${TITLE}`)
    expect([(await tones()) > before.tones, await isRinging(ada)]).toEqual([true, true])
    await at(ada, 'alert-sound').click()
    expect(await isRinging(ada)).toBe(false)
    await at(ada, 'alert-sound').click()
    expect(await isRinging(ada)).toBe(true)
    await open('Robin')
    await at(ada, 'decline-offer').click()
    await at(ada, 'offer-card').waitFor({ state: 'detached' })
    await expect.poll(() => ada.title()).toBe(TITLE)
    expect([await isRinging(ada), (await noted(ada)).notices.at(-1)?.isClosed]).toEqual([false, true])
  })

  it('PRD-271 both switches are kept over a page load; without sound a notification is silent', async () => {
    await at(ada, 'alert-sound').click()
    await open('Robin')
    await say(kim, 'One more thing')
    await expect.poll(async () => (await noted(ada)).notices.at(-1)).toMatchObject({ isSilent: true })
    await ada.reload()
    await at(ada, 'contact-item').filter({ hasText: 'Kim' }).waitFor()
    expect([await isOn(ada, 'alert-sound'), await isOn(ada, 'alert-notices')]).toEqual(['false', 'true'])
    // Kim's message was told of before.
    await expect.poll(() => ada.title()).toBe(`(1) ${TITLE}`)
    expect(await noted(ada)).toMatchObject({ tones: 0, asked: 0, notices: [] })
  })

  it('PRD-270 nothing calls an agent who has signed out', async () => {
    await at(ada, 'sign-out').click()
    await at(ada, 'sign-in').waitFor()
    expect([await ada.title(), (await noted(ada)).badges.at(-1)]).toEqual([TITLE, 0])
    expect(chromium.pageErrors).toEqual([])
  })
})

describe('what the browser allows', () => {
  it('PRD-271 the browser is asked at the click of the switch, which is on once the agent has allowed it', async () => {
    const di = await notedPage(chromium, `${product.url}/agent/?nick=Di`)
    await at(di, 'alert-sound').click()
    await at(di, 'ready-switch').click()
    await at(di, 'ready-switch').click()
    expect((await noted(di)).asked).toBe(0)
    await at(di, 'alert-notices').click()
    expect([(await noted(di)).asked, await isOn(di, 'alert-notices')]).toEqual([1, 'false'])
    await allowNotices(di)
    await expect.poll(() => isOn(di, 'alert-notices')).toBe('true')
    await di.context().close()
  })

  it('PRD-271 UI-13 notifications that are blocked are said in words, in the language of the agent', async () => {
    const bo = await notedPage(chromium, `${product.url}/agent/?nick=Bo&lang=it`, { notifications: 'denied' })
    await at(bo, 'alert-notices').waitFor()
    expect(await at(bo, 'alert-refusal').count()).toBe(0)
    await bo.getByRole('switch', { name: 'Notifiche' }).click()
    await bo.getByRole('alert').filter({ hasText: 'Il browser blocca le notifiche' }).waitFor()
    expect(await isOn(bo, 'alert-notices')).toBe('false')
    await looked(bo, 'alerts-refused')
    await bo.context().close()
  })

  it('PRD-270 before the first gesture nothing sounds, and the title tells of it all the same', async () => {
    const before = `sessionStorage.setItem('duolog-agent-ready', 'yes')`
    const heard: string[] = []
    const context = await chromium.browser.newContext()
    context.on('console', (message) => message.text().startsWith('noted: ') && heard.push(message.text()))
    // What a test evaluates counts as a gesture: nothing is asked of this page.
    const cy = await notedPage(chromium, `${product.url}/agent/?nick=Cy`, { before, context })
    await contactPage(chromium, product.url, { nick: 'Lee' })
    await expect.poll(() => heard).toContain('noted: badge 1')
    expect([heard, await cy.title()]).toEqual([['noted: badge 1'], `(1) ${TITLE}`])
    await cy.context().close()
  })
})
