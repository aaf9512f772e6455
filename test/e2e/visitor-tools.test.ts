/**
 * What the widget loads when a visitor needs it: earlier contacts, emoji, voice messages, cards, other languages. With
 * `DUOLOG_SHOTS=path` it also takes pictures.
 */
import { SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'

const SHOTS = process.env['DUOLOG_SHOTS']
const SECRET = 'a secret of at least thirty-two characters'
const ISSUER = 'https://shop.example.org'

let product: StartedProduct
let chromium: ChromiumUnderTest
let agent: Page
let visitor: Page

const shoot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}-${name}.png` })
}
const set = (settings: object): Promise<void> =>
  visitor.evaluate((all) => void Object.assign(document.querySelector('duolog-widget') ?? {}, all), settings)
const focused = (id: string): Promise<void> => visitor.locator(':focus').and(at(visitor, id)).waitFor()

const identity = (customer: string): Promise<string> =>
  new SignJWT({ name: 'Robin Hood' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(customer)
    .setIssuer(ISSUER)
    .setIssuedAt()
    .setExpirationTime('10 minutes')
    .sign(new TextEncoder().encode(SECRET))

beforeAll(async () => {
  product = await startProduct(['--visitor-secret', SECRET, '--visitor-issuer', ISSUER])
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  visitor = await chromium.newPage(`${product.url}/visitor/`)
  // What the page has captured, to see that it is given back.
  await visitor.evaluate(`{
    window.captured = []
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted)
      captured.push(...stream.getTracks())
      return stream
    }
  }`)
  await set({ identity: await identity('customer-1') })
  await at(agent, 'ready-switch').click()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('a visitor whom the site signs in', () => {
  it('UI-13 PRD-190 PRD-191 is asked for no name, and has no earlier contacts yet', async () => {
    await at(visitor, 'launcher').click()
    await focused('first-message')
    expect(await at(visitor, 'nick').count()).toBe(0)
    await look(visitor, 'form')
    await at(visitor, 'earlier').press('Enter')
    await at(visitor, 'earlier-none').waitFor()
    await focused('earlier-back')
    await look(visitor, 'earlier-none')
    await visitor.keyboard.press('Enter')
    await focused('first-message')
  })

  it('UI-13 PRD-193 reads and is read, each where somebody looks', async () => {
    await at(visitor, 'first-message').fill('Is the oak lamp in stock?')
    await at(visitor, 'start').click()
    await at(agent, 'accept-contact').click()
    await agent.getByTestId('peer-name').getByText('Robin Hood').first().waitFor()
    await visitor.locator('[data-own=true][data-delivery=read]').waitFor()
    await at(visitor, 'close-panel').click()
    await at(agent, 'composer').fill('Two are left.')
    await agent.keyboard.press('Enter')
    await agent.locator('[data-own=true][data-delivery=delivered]').waitFor()
    await at(visitor, 'launcher').click()
    await agent.locator('[data-own=true][data-delivery=read]').waitFor()
    await look(agent, 'read')
  })
})

describe('the tools of the composer', () => {
  it('UI-13 PRD-196 emoji are chosen by the keyboard; Escape closes the list and not the panel', async () => {
    await at(visitor, 'composer').fill('Fine ')
    await at(visitor, 'emoji').press('Enter')
    await visitor.locator('duolog-emoji button:focus').waitFor()
    await look(visitor, 'emoji')
    await visitor.keyboard.press('ArrowRight')
    await visitor.keyboard.press('Enter')
    await focused('composer')
    expect(await at(visitor, 'composer').inputValue()).toBe('Fine 😃')
    await at(visitor, 'emoji').press('Enter')
    await visitor.locator('duolog-emoji button:focus').waitFor()
    await visitor.keyboard.press('Escape')
    await focused('composer')
    expect(await at(visitor, 'emoji-list').count()).toBe(0)
    await at(visitor, 'composer').fill('')
  })

  it('UI-13 PRD-194 PRD-195 a voice message is recorded, or cancelled, and played; the microphone is given back', async () => {
    const live = (): Promise<number> =>
      visitor.evaluate(`captured.filter(({ readyState }) => readyState === 'live').length`)
    await at(visitor, 'voice-note').press('Enter')
    await at(visitor, 'voice-note-time').waitFor()
    expect(await live()).toBe(1)
    await visitor.keyboard.press('Escape')
    await focused('composer')
    expect(await live()).toBe(0)
    await at(visitor, 'voice-note').click()
    await at(visitor, 'voice-note-time').getByText('0:01').waitFor()
    await look(visitor, 'voice-note')
    await at(visitor, 'voice-note-send').click()
    await focused('composer')
    expect(await live()).toBe(0)
    await at(agent, 'file-play').press('Enter')
    await agent.locator(':focus').and(at(agent, 'file-player')).waitFor()
    await expect
      .poll(() =>
        at(agent, 'file-player').evaluate((each) =>
          each instanceof HTMLMediaElement ? each.currentTime : 0,
        ),
      )
      .toBeGreaterThan(0)
    await at(visitor, 'file-play').waitFor()
  })

  it('UI-13 PRD-199 a card is shown with its text where a picture would tell the sender of the reader', async () => {
    await visitor.evaluate(`document.querySelector('duolog-widget').contact.sendAction('duolog.card', [{
      text: 'The oak lamp', title: 'Oak lamp', image: 'https://shop.example.org/oak.jpg', description: 'Warm white',
      links: [{ text: 'See it', url: 'https://shop.example.org/oak' }], replies: ['I take it'],
    }])`)
    await at(agent, 'card-title').getByText('Oak lamp').waitFor()
    expect(await at(agent, 'card-picture').count()).toBe(0)
    await look(agent, 'card')
    await at(agent, 'quick-reply').click()
    await at(visitor, 'messages').getByText('I take it').waitFor()
  })
})

describe('other languages', () => {
  it('UI-13 PRD-201 Arabic runs from right to left in the panel, which stays in its corner', async () => {
    const left = (): Promise<number | undefined> =>
      at(visitor, 'panel')
        .boundingBox()
        .then((box) => box?.x)
    const before = await left()
    await set({ lang: 'ar' })
    await at(visitor, 'composer').and(visitor.getByPlaceholder('اكتب رسالة…')).waitFor()
    expect([await at(visitor, 'panel').getAttribute('dir'), await left()]).toEqual(['rtl', before])
    await look(visitor, 'arabic')
    await visitor.emulateMedia({ colorScheme: 'dark' })
    await set({ lang: 'de' })
    await visitor.getByPlaceholder('Nachricht schreiben…').waitFor()
    await shoot(visitor, 'german-dark')
    await visitor.emulateMedia({ colorScheme: 'light' })
    await set({ lang: 'en' })
    await visitor.getByPlaceholder('Write a message…').waitFor()
  })
})

describe('afterwards', () => {
  it('UI-13 PRD-191 what was said can be read again', async () => {
    await at(visitor, 'leave').click()
    await at(visitor, 'confirm-yes').click()
    await at(visitor, 'start-again').click()
    await at(visitor, 'earlier').click()
    await at(visitor, 'earlier-contact').click()
    await at(visitor, 'messages').getByText('Two are left.').waitFor()
    await look(visitor, 'earlier')
    await at(visitor, 'earlier-back').click()
    await at(visitor, 'earlier-contact').waitFor()
    await at(visitor, 'earlier-back').click()
    await at(visitor, 'first-message').waitFor()
    expect(chromium.pageErrors).toEqual([])
  })

  it('UI-13 SND-312 a panel that is opened before the service has answered gives the focus to the form when it is there', async () => {
    let answer: () => void = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await visitor.route('**/v1/**', async (route) => {
      await held
      await route.continue()
    })
    await visitor.reload()
    await set({ identity: await identity('customer-2') })
    await at(visitor, 'launcher').click()
    await at(visitor, 'resuming').waitFor()
    await visitor.locator('header button:focus').waitFor()
    answer()
    await focused('first-message')
    expect(chromium.pageErrors).toEqual([])
  })
})
