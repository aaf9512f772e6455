/** Where the focus is when the control that had it goes away: with the mouse, and with the keyboard. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { focusOf } from '../support/keyboard.ts'
import { at, openPages } from '../support/pages.ts'
import type { OpenedPages } from '../support/pages.ts'

type Way = 'mouse' | 'keyboard'

let opened: OpenedPages | undefined
let visitor: Page
let agent: Page

const use = (page: Page, id: string, way: Way): Promise<void> =>
  way === 'mouse' ? at(page, id).click() : at(page, id).press('Enter')

async function focusIs(page: Page, id: string): Promise<void> {
  await expect.poll(async () => (await focusOf(page)).id).toBe(id)
}

async function isOver(): Promise<void> {
  for (const page of [visitor, agent]) await at(page, 'call').waitFor({ state: 'detached' })
}

/** Presses a control without giving it the focus. */
const pressAside = (page: Page, id: string): Promise<void> =>
  at(page, id).evaluate((button) => (button as HTMLElement).click())

/** The page has shown what it had to show. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

beforeAll(async () => {
  opened = await openPages()
  ;({ visitor, agent } = opened)
  await at(agent, 'ready-switch').click()
})
afterAll(() => opened?.close())

describe.each<Way>(['mouse', 'keyboard'])('with the %s', (way) => {
  beforeAll(async () => {
    if (await at(visitor, 'start-again').isVisible()) await use(visitor, 'start-again', way)
    else await use(visitor, 'launcher', way)
    await at(visitor, 'nick').fill('Robin')
    await use(visitor, 'start', way)
  })

  it('UI-1 UI-6 the focus goes from the button that accepts a contact to the field for messages', async () => {
    await use(agent, 'accept-contact', way)
    await focusIs(agent, 'composer')
    await at(visitor, 'call-voice').waitFor()
  })

  it('UI-1 from the button that calls to the one that cancels, and when it is answered to the one that hangs up', async () => {
    await use(visitor, 'call-voice', way)
    await focusIs(visitor, 'cancel-call')
    await use(agent, 'accept-offer', way)
    for (const page of [visitor, agent]) await focusIs(page, 'hangup')
  })

  it('UI-1 from the button that hangs up to the field for messages, on both sides', async () => {
    await use(agent, 'hangup', way)
    await isOver()
    for (const page of [visitor, agent]) await focusIs(page, 'composer')
  })

  it('UI-1 from the buttons that decline and cancel a call to the field for messages', async () => {
    await use(agent, 'call-video', way)
    await focusIs(agent, 'cancel-call')
    await use(visitor, 'decline-offer', way)
    for (const page of [visitor, agent]) await focusIs(page, 'composer')
    await use(agent, 'dismiss-problem', way)
    await focusIs(agent, 'composer')
  })

  it('UI-1 from the button that accepts a call of the other side to the one that hangs up', async () => {
    await use(agent, 'call-voice', way)
    await use(visitor, 'accept-offer', way)
    for (const page of [visitor, agent]) await focusIs(page, 'hangup')
  })

  it('UI-1 UI-9 stays on a control of the call while others come and go', async () => {
    await at(agent, 'mute-audio').focus()
    await at(visitor, 'hangup').focus()
    await use(visitor, 'call-video', way)
    await focusIs(visitor, 'cancel-call')
    await at(agent, 'mute-audio').focus()
    await pressAside(agent, 'accept-offer')
    await at(visitor, 'hangup-video').waitFor()
    await at(agent, 'mute-video').waitFor()
    for (const page of [visitor, agent]) await drawn(page)
    await focusIs(agent, 'mute-audio')
    await focusIs(visitor, 'hangup')
    await use(visitor, 'hangup-video', way)
    await at(agent, 'hangup-video').waitFor({ state: 'detached' })
    await focusIs(visitor, 'hangup')
  })

  it('UI-1 stays where somebody has put it when a control goes that had it before', async () => {
    await at(agent, 'hangup').focus()
    await at(agent, 'view-past').focus()
    await at(visitor, 'hangup').focus()
    await visitor.mouse.click(5, 5)
    await focusIs(visitor, '')
    await pressAside(agent, 'hangup')
    await isOver()
    await at(visitor, 'call-voice').waitFor()
    for (const page of [visitor, agent]) await drawn(page)
    await focusIs(agent, 'view-past')
    await focusIs(visitor, '')
  })

  it('UI-1 UI-6 goes from the dialog that hands a contact on to the words that say so', async () => {
    await at(agent, 'ready-switch').click()
    await expect.poll(() => at(agent, 'ready-switch').getAttribute('aria-checked')).toBe('false')
    await use(agent, 'transfer-contact', way)
    await use(agent, 'transfer-now', way)
    await at(agent, 'ending').waitFor()
    await focusIs(agent, 'ending')
    await use(agent, 'dismiss-contact', way)
    await focusIs(agent, 'ready-switch')
  })

  it('UI-1 from the button that ends the chat to the one that starts another', async () => {
    await use(visitor, 'leave', way)
    await use(visitor, 'confirm-yes', way)
    await focusIs(visitor, 'start-again')
    await at(agent, 'ready-switch').click()
  })
})

describe('with a touch screen', () => {
  it('UI-1 UI-3 the focus is not moved when a button goes: no keyboard comes up by itself', async () => {
    const touch = await opened?.browsers.visitor.browser.newContext({ hasTouch: true })
    const page = await opened?.browsers.visitor.newPage(visitor.url(), touch)
    if (!page) throw new Error('unable to open a page; the browser is not there')
    await at(page, 'launcher').tap()
    await at(page, 'nick').fill('Kim')
    await at(page, 'start').tap()
    await at(agent, 'accept-contact').click()
    await at(page, 'call-voice').tap()
    await at(page, 'cancel-call').waitFor()
    await drawn(page)
    await focusIs(page, '')
    await page.keyboard.press('Tab')
    await at(page, 'cancel-call').press('Enter')
    await focusIs(page, 'composer')
  })
})

describe('the console', () => {
  it('UI-1 UI-6 the focus goes from the button that signs out to the form that signs in', async () => {
    await use(agent, 'sign-out', 'mouse')
    await focusIs(agent, 'sign-in-nick')
  })
})
