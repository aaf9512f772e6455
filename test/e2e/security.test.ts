/** The badge, the dialog and the warnings of a secure contact. With `DUOLOG_SHOTS=path` it takes pictures. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

const SHOTS = process.env['DUOLOG_SHOTS']

let served: ServedPage
let chromium: ChromiumUnderTest

beforeAll(async () => {
  served = await servePage(await bundleForPage(fileURLToPath(new URL('./security-page.ts', import.meta.url))))
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await served?.close()
})

const at = (page: Page, id: string): Locator => page.getByTestId(id)

async function openPage(parameters = ''): Promise<Page> {
  const page = await chromium.newPage(`${served.url}${parameters}`)
  await at(page, 'security').waitFor()
  return page
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}-${name}.png` })
}

const focused = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element instanceof HTMLElement ? element.dataset['testid'] : undefined
  })

describe('the page of a secure contact', () => {
  it('ENC-410 UI-10 the badge says in words and shape how far the contact is verified', async () => {
    const page = await openPage()
    await page.evaluate(() => write('my number is 4711'))
    await at(page, 'waits-for-key').waitFor()
    const seen: (string | null)[] = []
    const shapes = new Set<string>()
    for (const state of ['agreeing', 'unverified', 'verified', 'changed', 'broken'] as const) {
      await page.evaluate((next) => show(next, next === 'verified' ? 'user' : null), state)
      await page.locator(`[data-testid=security][data-state=${state}]`).waitFor()
      seen.push((await at(page, 'security').textContent())?.trim() ?? null)
      const waits = state === 'agreeing' || state === 'changed'
      await at(page, 'waits-for-key').waitFor({ state: waits ? 'visible' : 'detached' })
      await at(page, 'composer').waitFor({ state: state === 'broken' ? 'detached' : 'visible' })
      shapes.add(await at(page, 'security').locator('svg').innerHTML())
      await shoot(page, state)
    }
    expect(seen).toEqual(['Encrypting…', 'Encrypted, not compared', 'Verified', 'Key changed', 'Not safe'])
    expect(shapes.size).toBe(5)
  })

  it('ENC-411 UI-10 the codes are compared with the keyboard, and Escape decides nothing', async () => {
    const page = await openPage()
    await page.evaluate(() => show('unverified'))
    await at(page, 'security').focus()
    await page.keyboard.press('Enter')
    await at(page, 'compare').waitFor()
    await at(page, 'symbols').getByText('corn').waitFor()
    expect(await at(page, 'symbols').locator('li').allInnerTexts()).toHaveLength(7)
    expect((await at(page, 'digits').textContent())?.trim()).toBe('2181 0959 1380 1')
    await shoot(page, 'compare')
    await page.keyboard.press('Escape')
    await at(page, 'compare').waitFor({ state: 'hidden' })
    expect(await at(page, 'panel').isVisible()).toBe(true)
    expect(await focused(page)).toBe('security')
    expect(await page.evaluate(() => called.filter(([name]) => name === 'verify'))).toEqual([])
    await page.keyboard.press('Enter')
    while ((await focused(page)) !== 'codes-match') await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await at(page, 'compare').waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => called.filter(([name]) => name === 'verify'))).toEqual([
      ['verify', true],
    ])
  })

  it('ENC-412 UI-10 a changed key asks above the composer, and a broken contact says so', async () => {
    const page = await openPage()
    await page.evaluate(() => show('changed'))
    await at(page, 'accept-key').click()
    await at(page, 'compare-keys').click()
    await page.locator('[data-testid=compare]:visible').getByTestId('codes-differ').click()
    const decisions = await page.evaluate(() => called.filter(([name]) => name !== 'getRemoteCapabilities'))
    expect(decisions.slice(-2)).toEqual([['acceptKey'], ['verify', false]])
    await page.evaluate(() => show('broken'))
    await page.locator('[data-testid=key-notice][data-state=broken]').waitFor()
    expect(await at(page, 'key-notice').getAttribute('role')).toBe('alert')
  })

  it('ENC-413 UI-10 holds in dark, forced colours, right to left, Italian, zoomed and on a phone', async () => {
    const looks = [
      { name: 'dark', parameters: '', size: { width: 900, height: 700 }, media: { colorScheme: 'dark' } },
      {
        name: 'forced',
        parameters: '',
        size: { width: 900, height: 700 },
        media: { forcedColors: 'active' },
      },
      { name: 'rtl', parameters: '?dir=rtl&lang=it', size: { width: 900, height: 700 }, media: {} },
      { name: 'phone', parameters: '?lang=it', size: { width: 360, height: 640 }, media: {} },
      { name: 'zoom200', parameters: '', size: { width: 640, height: 400 }, media: {} },
      { name: 'zoom400', parameters: '', size: { width: 320, height: 256 }, media: {} },
    ] as const
    for (const { name, parameters, size, media } of looks) {
      const page = await openPage(parameters)
      await page.setViewportSize(size)
      await page.emulateMedia(media)
      await page.evaluate(() => show('changed'))
      await at(page, 'accept-key').scrollIntoViewIfNeeded()
      await shoot(page, `${name}-changed`)
      await at(page, 'accept-key').click({ trial: true })
      await at(page, 'security').click()
      await at(page, 'symbols').locator('li').first().waitFor()
      await shoot(page, `${name}-compare`)
      const match = page.locator('[data-testid=compare]:visible').getByTestId('codes-match')
      await match.scrollIntoViewIfNeeded()
      await match.click()
      const isScrolledSideways = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      )
      expect([name, isScrolledSideways]).toEqual([name, false])
      await page.close()
    }
  })
})
