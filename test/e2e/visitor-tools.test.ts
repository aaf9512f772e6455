/**
 * What the widget loads when a visitor needs it: earlier contacts, emoji, voice messages, cards, other languages. With
 * `DUOLOG_SHOTS=path` it also takes pictures.
 */
import { SignJWT } from 'jose'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'

const SHOTS = process.env['DUOLOG_SHOTS']
const SECRET = 'a secret of at least thirty-two characters'
const ISSUER = 'https://shop.example.org'

let product: StartedProduct
let chromium: ChromiumUnderTest
let agent: Page
let visitor: Page

const at = (page: Page, id: string): Locator => page.getByTestId(id)
const shoot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}-${name}.png` })
}
const set = (settings: object): Promise<void> =>
  visitor.evaluate((all) => void Object.assign(document.querySelector('duolog-widget') ?? {}, all), settings)
const focused = (id: string): Promise<void> => visitor.locator(':focus').and(at(visitor, id)).waitFor()

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
  const identity = await new SignJWT({ name: 'Robin Hood' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('customer-1')
    .setIssuer(ISSUER)
    .setIssuedAt()
    .setExpirationTime('10 minutes')
    .sign(new TextEncoder().encode(SECRET))
  await set({ identity })
  await at(agent, 'ready-switch').click()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('a visitor whom the site signs in', () => {
  it('PRD-190 PRD-191 is asked for no name, and has no earlier contacts yet', async () => {
    await at(visitor, 'launcher').click()
    await focused('first-message')
    expect(await at(visitor, 'nick').count()).toBe(0)
    await shoot(visitor, 'form')
    await at(visitor, 'earlier').press('Enter')
    await at(visitor, 'earlier-none').waitFor()
    await focused('earlier-back')
    await visitor.keyboard.press('Enter')
    await focused('first-message')
  })

  it('PRD-193 reads and is read, each where somebody looks', async () => {
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
    await shoot(agent, 'read')
  })
})

describe('the tools of the composer', () => {
  it('PRD-196 emoji are chosen by the keyboard; Escape closes the list and not the panel', async () => {
    await at(visitor, 'composer').fill('Fine ')
    await at(visitor, 'emoji').press('Enter')
    await visitor.locator('duolog-emoji button:focus').waitFor()
    await shoot(visitor, 'emoji')
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

  it('PRD-194 PRD-195 a voice message is recorded, or cancelled, and played; the microphone is given back', async () => {
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
    await shoot(visitor, 'voice-note')
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

  it('PRD-199 a card is shown with its text where a picture would tell the sender of the reader', async () => {
    await visitor.evaluate(`document.querySelector('duolog-widget').contact.sendAction('duolog.card', [{
      text: 'The oak lamp', title: 'Oak lamp', image: 'https://shop.example.org/oak.jpg', description: 'Warm white',
      links: [{ text: 'See it', url: 'https://shop.example.org/oak' }], replies: ['I take it'],
    }])`)
    await at(agent, 'card-title').getByText('Oak lamp').waitFor()
    expect(await at(agent, 'card-picture').count()).toBe(0)
    await shoot(agent, 'card')
    await at(agent, 'quick-reply').click()
    await at(visitor, 'messages').getByText('I take it').waitFor()
  })
})

describe('other languages', () => {
  it('PRD-201 Arabic runs from right to left in the panel, which stays in its corner', async () => {
    const left = (): Promise<number | undefined> =>
      at(visitor, 'panel')
        .boundingBox()
        .then((box) => box?.x)
    const before = await left()
    await set({ lang: 'ar' })
    await at(visitor, 'composer').and(visitor.getByPlaceholder('اكتب رسالة…')).waitFor()
    expect([await at(visitor, 'panel').getAttribute('dir'), await left()]).toEqual(['rtl', before])
    await shoot(visitor, 'arabic')
    await visitor.setViewportSize({ width: 320, height: 560 })
    await shoot(visitor, 'arabic-mobile')
    await visitor.setViewportSize({ width: 1280, height: 720 })
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
  it('PRD-191 what was said can be read again', async () => {
    await at(visitor, 'leave').click()
    await at(visitor, 'confirm-yes').click()
    await at(visitor, 'start-again').click()
    await at(visitor, 'earlier').click()
    await at(visitor, 'earlier-contact').click()
    await at(visitor, 'messages').getByText('Two are left.').waitFor()
    await shoot(visitor, 'earlier')
    await visitor.setViewportSize({ width: 640, height: 400 })
    await shoot(visitor, 'earlier-zoomed')
    await at(visitor, 'earlier-back').click()
    await at(visitor, 'earlier-contact').waitFor()
    await at(visitor, 'earlier-back').click()
    await at(visitor, 'first-message').waitFor()
    expect(chromium.pageErrors).toEqual([])
  })
})
