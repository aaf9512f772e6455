/** The two pages as people use them, one in Firefox and the other one in Chromium. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { ask, endContact } from '../support/contact-by-hand.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { elementCode, shows } from '../support/remote-picture.ts'
import { hears, seesFrames } from '../support/watch.ts'
import { TONE_HZ, heardEnergy, launchFirefox } from './firefox.ts'
import type { FirefoxUnderTest } from './firefox.ts'

const CHROMIUM_HZ = 880
/** Energy of sound: its power in parts of the loudest one's, times seconds. That of silence is 0. */
const AUDIBLE = 0.005
const ROLES = ['visitor', 'agent'] as const
type Role = (typeof ROLES)[number]

let product: StartedProduct
let firefox: FirefoxUnderTest
let chromium: ChromiumUnderTest

const at = (page: Page, id: string): Locator => page.getByTestId(id)

/** What Firefox decodes of Chromium's camera and microphone, and Chromium of Firefox's. */
async function talkByPictureAndSound(inFirefox: Page, inChromium: Page): Promise<void> {
  const picture = { js: elementCode('remote-video') }
  await Promise.all([shows(inFirefox, COLOURS.blue), at(inChromium, 'remote-video').first().waitFor()])
  await Promise.all([seesFrames(inFirefox, picture), seesFrames(inChromium, picture)])
  const energy = await heardEnergy(inFirefox)
  await expect.poll(() => heardEnergy(inFirefox)).toBeGreaterThan(energy + AUDIBLE)
  await hears(inChromium, { js: elementCode('remote-audio') }, TONE_HZ)
}

/** One sends a file, and the other one saves the same bytes. */
async function hand(from: Page, to: Page, name: string): Promise<void> {
  const bytes = randomBytes(300_000)
  await at(from, 'file-input').setInputFiles({ name, mimeType: 'application/zip', buffer: bytes })
  await at(to, 'file-name').filter({ hasText: name }).waitFor()
  const [download] = await Promise.all([to.waitForEvent('download'), at(to, 'download').last().click()])
  const [found, sent] = [await readFile(await download.path()), bytes].map((each) =>
    createHash('sha256').update(each).digest('hex'),
  )
  expect([download.suggestedFilename(), found]).toEqual([name, sent])
}

async function write(from: Page, to: Page, text: string): Promise<void> {
  await at(from, 'composer').last().fill(text)
  await from.keyboard.press('Enter')
  await at(to, 'messages').getByText(text).waitFor()
}

beforeAll(async () => {
  product = await startProduct()
  firefox = await launchFirefox()
  chromium = await launchChromium({ camera: COLOURS.blue, toneHz: CHROMIUM_HZ })
})

afterAll(async () => {
  await Promise.all([firefox?.close(), chromium?.close()])
  await product?.stop()
})

describe.each(ROLES)('Firefox as the %s', (role) => {
  const pages = {} as Record<Role, Page>
  const inFirefox = (): Page => pages[role]
  const inChromium = (): Page => pages[role === 'agent' ? 'visitor' : 'agent']

  beforeAll(async () => {
    for (const each of ROLES) {
      const url = `${product.url}/${each}/${each === 'agent' ? `?nick=Ada-${role}` : ''}`
      pages[each] = await (each === role ? firefox : chromium).newPage(url)
    }
  })

  it('PRD-240 they write to each other', async () => {
    const { visitor, agent } = pages
    await at(agent, 'ready-switch').click()
    await ask(visitor, agent, 'Is the oak lamp in stock?')
    await write(agent, visitor, 'Two are left.')
    await write(visitor, agent, 'Could I see it lit?')
  })

  it('PRD-240 they send each other files', async () => {
    await hand(inFirefox(), inChromium(), `to the ${role === 'agent' ? 'visitor' : 'agent'}.zip`)
    await hand(inChromium(), inFirefox(), `to the ${role}.zip`)
  })

  it('PRD-240 the visitor calls, both hear and see each other, and again when the page of Firefox was loaded anew', async () => {
    const { visitor, agent } = pages
    await at(visitor, 'call-video').click()
    await at(agent, 'accept-offer').click()
    await talkByPictureAndSound(inFirefox(), inChromium())
    await inFirefox().reload()
    await talkByPictureAndSound(inFirefox(), inChromium())
  })

  it('PRD-240 the agent hangs up the video alone, the visitor leaves, and the agent ends the contact', async () => {
    const { visitor, agent } = pages
    await at(agent, 'hangup-video').click()
    await at(visitor, 'remote-video').waitFor({ state: 'detached' })
    await at(visitor, 'hangup').waitFor()
    await endContact(visitor, agent)
    for (const page of [visitor, agent]) await page.close()
    expect([firefox.pageErrors, chromium.pageErrors]).toEqual([[], []])
  })
})
