/**
 * Firefox of Debian and Chromium talk with each other: `npm run firefox`. Playwright drives Firefox by WebDriver BiDi.
 * Firefox has its own fake devices: a picture that changes its colour, and a tone.
 */
import { readFile } from 'node:fs/promises'
import { firefox } from 'playwright-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { shows } from '../support/remote-picture.ts'
import { hears } from '../support/watch.ts'
import { NewFolder } from './new-folder.ts'

const PREFERENCES = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.navigator.audio.fake_frequency': 440,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'media.autoplay.default': 0,
}
/** An element within shadow roots, for a probe. */
const inside = (id: string): { readonly js: string } => ({
  js: `(() => {
    const find = (root) => root.querySelector('[data-testid=${id}]') ?? [...root.querySelectorAll('*')].map((each) => each.shadowRoot && find(each.shadowRoot)).find(Boolean)
    return find(document)?.srcObject
  })()`,
})
const at = (page: Page, id: string): Locator => page.getByTestId(id)

const folder = new NewFolder()
const errors: string[] = []
let url: string
let mozilla: Browser
let chromium: ChromiumUnderTest

/** Commands of BiDi that Playwright sends for each context, and that Firefox ESR does not know yet. */
const UNKNOWN = /^emulation\./

/** Playwright's own side of a browser, with which it shares this process. */
interface Session {
  send: (this: Session, method: string, parameters: unknown) => Promise<unknown>
}

/** Firefox, without what it can not do: to be another device than it is. */
async function launchFirefox(): Promise<Browser> {
  const executablePath = process.env['DUOLOG_FIREFOX'] ?? '/usr/bin/firefox-esr'
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs: PREFERENCES,
  })
  const { _connection } = browser as unknown as {
    readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: Session } }
  }
  // What all sessions of the browser have in common.
  const sessions = Object.getPrototypeOf(_connection.toImpl(browser)._browserSession) as Session
  const { send } = sessions
  sessions.send = function (method, parameters) {
    return send.call(this, method, parameters).catch((error: unknown) => {
      if (!UNKNOWN.test(method) || !String(error).includes('unknown command')) throw error
      return {}
    })
  }
  return browser
}

async function foxPage(address: string): Promise<Page> {
  const page = await (await mozilla.newContext()).newPage()
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(address)
  return page
}

/** How many frames the big picture has shown. */
const frames = (page: Page): Promise<number> =>
  at(page, 'remote-video')
    .first()
    .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames)

beforeAll(async () => {
  url = await folder.startService()
  mozilla = await launchFirefox()
  chromium = await launchChromium({ camera: COLOURS.blue, toneHz: 880 })
})

afterAll(async () => {
  await mozilla?.close()
  await chromium?.close()
  await folder.remove()
})

describe.each(['visitor', 'agent'] as const)('Firefox as the %s, Chromium as the other', (role) => {
  let visitor: Page
  let agent: Page
  let fox: Page
  let other: Page

  beforeAll(async () => {
    const nick = role === 'visitor' ? 'Ada' : 'Bea'
    const addresses = { visitor: `${url}/visitor/?lang=en`, agent: `${url}/agent/?nick=${nick}&lang=en` }
    fox = await foxPage(addresses[role])
    other = await chromium.newPage(addresses[role === 'visitor' ? 'agent' : 'visitor'])
    ;[visitor, agent] = role === 'visitor' ? [fox, other] : [other, fox]
  })

  afterAll(async () => {
    await fox?.close()
    await other?.close()
  })

  it('PRD-228 chat both ways', async () => {
    await at(agent, 'ready-switch').click()
    await at(visitor, 'launcher').click()
    await at(visitor, 'nick').fill('Robin')
    await at(visitor, 'first-message').fill('Is the oak lamp in stock?')
    await at(visitor, 'start').click()
    await at(agent, 'accept-contact').click()
    await at(agent, 'messages').getByText('Is the oak lamp in stock?').waitFor()
    await at(agent, 'composer').fill('Two are left.')
    await agent.keyboard.press('Enter')
    await at(visitor, 'messages').getByText('Two are left.').waitFor()
    await visitor.locator('[data-delivery=delivered]').first().waitFor()
  })

  it('PRD-228 files both ways', async () => {
    const text = Buffer.from('turned, wired and tested')
    for (const [from, to, name] of [
      [fox, other, 'fox.txt'],
      [other, fox, 'chromium.txt'],
    ] as const) {
      await at(from, 'file-input').setInputFiles({ name, mimeType: 'text/plain', buffer: text })
      await at(to, 'file-name').filter({ hasText: name }).waitFor()
    }
    const [download] = await Promise.all([
      other.waitForEvent('download'),
      at(other, 'download').first().click(),
    ])
    expect(await readFile(await download.path())).toEqual(text)
  })

  it('PRD-228 a call with sound and picture, which comes back after a page load of Firefox', async () => {
    await at(visitor, 'call-video').click()
    await at(agent, 'accept-offer').click()
    const flows = async (): Promise<void> => {
      await shows(fox, COLOURS.blue)
      await hears(fox, inside('remote-audio'), 880)
      await hears(other, inside('remote-audio'), 440)
      await at(other, 'remote-video').first().waitFor()
      const before = await frames(other)
      await expect.poll(() => frames(other)).toBeGreaterThan(before + 10)
    }
    await flows()
    await fox.reload()
    await flows()
    await at(visitor, 'hangup').click()
    await at(agent, 'call').waitFor({ state: 'detached' })
    await at(agent, 'end-contact').click()
    await at(visitor, 'ending').waitFor()
    expect([errors, chromium.pageErrors]).toEqual([[], []])
  })
})
