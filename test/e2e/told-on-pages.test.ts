/** What somebody is told on the pages, wherever they are: calls, the end in another tab, pasted text. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { focusOf } from '../support/keyboard.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let agent: Page

const entry = (nick: string): Locator => at(agent, 'contact-item').filter({ hasText: nick })

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  agent.setDefaultTimeout(10_000)
  await at(agent, 'ready-switch').click()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

async function visitorPage(context?: BrowserContext): Promise<Page> {
  const page = await chromium.newPage(`${product.url}/visitor/`, context)
  page.setDefaultTimeout(10_000)
  return page
}

/** A visitor who talks to the agent, whose console shows this contact. */
async function talking(nick: string): Promise<Page> {
  const page = await visitorPage()
  await at(page, 'launcher').click()
  await at(page, 'nick').fill(nick)
  await at(page, 'start').click()
  await at(at(agent, 'incoming').filter({ hasText: nick }), 'accept-contact').click()
  await entry(nick).click()
  await at(page, 'call-voice').waitFor()
  return page
}

async function over(nick: string, ...pages: readonly Page[]): Promise<void> {
  for (const page of pages) await page.close()
  await entry(nick).click()
  await at(agent, 'end-contact').click()
  await at(agent, 'confirm-yes').click()
  await at(agent, 'dismiss-contact').click()
}

describe('a call', () => {
  it('SND-312 opens the panel once: Escape minimises it, the launcher tells of the call, and a new one opens it again', async () => {
    const page = await talking('Wes')
    await at(agent, 'call-voice').click()
    await at(page, 'offer-card').waitFor()
    await at(page, 'composer').press('Escape')
    await expect.poll(async () => (await focusOf(page)).id).toBe('launcher')
    expect(await at(page, 'panel').isVisible()).toBe(false)
    expect(await at(page, 'launcher').innerText()).toContain('Ada is calling you')
    await at(agent, 'cancel-call').click()
    await page.getByText('Chat with us').waitFor()
    await at(agent, 'call-voice').click()
    await expect.poll(async () => (await focusOf(page)).id).toBe('offer-card')
    expect(await at(page, 'panel').isVisible()).toBe(true)
    await at(agent, 'cancel-call').click()
    await over('Wes', page)
  })

  it('SND-312 in a contact that is not shown is named to a screen reader, and in the title', async () => {
    const [one, two] = [await talking('Xia'), await talking('Yan')]
    const title = await agent.title()
    await at(one, 'call-voice').click()
    await at(agent, 'news').getByText('Xia is calling you').waitFor({ state: 'attached' })
    expect(await agent.title()).toBe(`(1) ${title}`)
    await entry('Xia').click()
    await expect.poll(() => at(agent, 'news').innerText()).toBe('')
    await at(one, 'cancel-call').click()
    await expect.poll(() => agent.title()).toBe(title)
    await over('Xia', one)
    await over('Yan', two)
  })
})

it('UI-13 SND-312 the console takes nothing more for a visitor who has ended the chat, and says why at once', async () => {
  const page = await talking('Ivo')
  await at(agent, 'composer').pressSequentially('Is there any')
  await at(page, 'leave').click()
  await at(page, 'confirm-yes').click()
  await at(agent, 'visitor-gone').filter({ hasText: 'Ivo has left the chat' }).waitFor()
  expect([await at(agent, 'composer').count(), await at(agent, 'transfer-contact').isVisible()]).toEqual([
    0,
    false,
  ])
  await expect.poll(async () => (await focusOf(agent)).id).toBe('visitor-gone')
  await look(agent, 'visitor-gone')
  await at(agent, 'end-contact').click()
  await at(agent, 'dismiss-contact').click()
  await page.close()
})

it('SND-309 who ends the chat in one tab has ended it in the other', async () => {
  const page = await talking('Zoe')
  const second = await visitorPage(page.context())
  await at(second, 'move-here').filter({ hasText: 'Make calls here' }).waitFor()
  await at(page, 'leave').click()
  await at(page, 'confirm-yes').click()
  await at(second, 'ending').waitFor()
  await agent.getByText('Zoe has left the chat').waitFor()
  await at(agent, 'end-contact').click()
  await at(agent, 'dismiss-contact').click()
  for (const tab of [page, second]) await tab.close()
})

it('SND-309 what is read in one tab is no news in the other, and what comes then is', async () => {
  const page = await talking('Una')
  const second = await visitorPage(page.context())
  for (const tab of [page, second]) await at(tab, 'close-panel').click()
  await at(agent, 'composer').fill('Found it')
  await at(agent, 'send').click()
  for (const tab of [page, second]) await at(tab, 'unread').waitFor()
  await at(page, 'launcher').click()
  await at(second, 'unread').waitFor({ state: 'hidden' })
  await at(page, 'close-panel').click()
  await at(agent, 'composer').fill('It is on its way')
  await at(agent, 'send').click()
  for (const tab of [page, second]) await at(tab, 'unread').filter({ hasText: '1 new message' }).waitFor()
  await over('Una', page, second)
})

it('UI-13 SND-309 who moves the call to another tab by the keyboard keeps the focus in the chat', async () => {
  const page = await talking('Ugo')
  await at(agent, 'call-voice').click()
  await at(page, 'accept-offer').click()
  await at(page, 'hangup').waitFor()
  const second = await visitorPage(page.context())
  const move = at(second, 'move-here').filter({ hasText: 'Move the call here' })
  await move.press('Enter')
  await move.waitFor({ state: 'detached' })
  await expect.poll(async () => (await focusOf(second)).id).toBe('composer')
  await over('Ugo', second, page)
})

it.each([
  [['text/plain', 'text/html'], 'text', [0, false]],
  [['text/plain'], 'a file and its name', [1, true]],
  [['text/html'], 'a picture of a page', [1, true]],
] as const)('SND-312 a paste of %j with a picture is %s', async (types, _what, expected) => {
  const page = await talking('Vic')
  const isTaken = await at(page, 'composer').evaluate((field, all) => {
    const clipboardData = new DataTransfer()
    for (const type of all) clipboardData.setData(type, 'A1')
    clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }))
    return !field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }))
  }, types)
  expect([await at(page, 'file-name').count(), isTaken]).toEqual(expected)
  await over('Vic', page)
})

it('SND-312 the sound of a shared screen is played while another conversation is shown', async () => {
  const page = await talking('Una')
  // As strings: the test runner would rewrite what the page imports.
  await agent.evaluate(`{
    const context = new AudioContext()
    const [tone, sink] = [context.createOscillator(), context.createMediaStreamDestination()]
    tone.connect(sink)
    tone.start()
    const session = document.querySelector('duolog-console').model.selected
    const Screen = { tx: false, rx: true, via: 'net', engine: 'WebRTC', data: { rx_stream: sink.stream } }
    const live = document.createElement('duolog-live-call')
    live.words = { t: (key) => key }
    live.audible = true
    live.session = new Proxy(session, {
      get: (it, name) => name === 'state'
        ? { ...it.state, callSince: Date.now(), media: { Screen } }
        : name === 'subscribe' ? () => () => {} : it[name],
    })
    document.body.append(live)
  }`)
  const playing = (): Promise<boolean> =>
    at(agent, 'live-screen-audio').evaluate(
      (audio: HTMLAudioElement) => !audio.paused && audio.currentTime > 0,
    )
  await expect.poll(playing).toBe(true)
  await agent.evaluate(() => document.body.querySelector(':scope > duolog-live-call')?.remove())
  await over('Una', page)
})
