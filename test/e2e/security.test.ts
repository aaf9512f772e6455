/** The badge, the dialog and the warnings of a secure contact. With `DUOLOG_SHOTS=path` it takes pictures. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { at } from '../support/pages.ts'

const SHOTS = process.env['DUOLOG_SHOTS']

/** As `security-page.ts` shows them. */
const DIGITS = '2181095913801'

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
    // The dialog is hidden before its event `close` is dispatched (HTML, 4.11.4).
    await expect
      .poll(() => page.evaluate(() => called.filter(([name]) => name === 'verify')))
      .toEqual([['verify', true, DIGITS]])
  })

  it('ENC-411 UI-10 a dialog that is closed and opened again before the next frame takes the answer', async () => {
    const page = await openPage()
    await page.evaluate(() => show('unverified'))
    await at(page, 'security').click()
    const buttons = await Promise.all(['close-compare', 'security'].map((id) => at(page, id).elementHandle()))
    await page.evaluate((all) => all.forEach((button) => (button as HTMLElement).click()), buttons)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    await at(page, 'codes-match').click()
    await expect
      .poll(() => page.evaluate(() => called.filter(([name]) => name === 'verify')))
      .toEqual([['verify', true, DIGITS]])
  })

  it('PRD-31 UI-13 who says that the contact is to end has ended it, though the page has no frame any more', async () => {
    const page = await openPage()
    await at(page, 'leave').click()
    const yes = await at(page, 'confirm-yes').elementHandle()
    const calls = await page.evaluate((button) => {
      ;(button as HTMLElement).click()
      return called.map(([name]) => name)
    }, yes)
    expect(calls).toContain('leave')
    expect(await at(page, 'confirm-yes').isVisible()).toBe(false)
  })

  it.each([
    ['unverified', 'security'],
    ['changed', 'compare-keys'],
  ] as const)(
    'ENC-582 UI-10 where the key changes while its code is compared, the dialog says so and takes no answer: %s',
    async (state, opener) => {
      const page = await openPage()
      const dialog = page.locator('[data-testid=compare]:visible')
      await page.evaluate((first) => show(first), state)
      await at(page, opener).click()
      await dialog.getByTestId('codes-match').focus()
      await page.evaluate((next) => show(next, null, '9999999999999'), state)
      await dialog.getByTestId('code-changed').waitFor()
      expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Close'])
      await shoot(page, `code-changed-${state}`)
      await dialog.getByTestId('close-compare').click()
      await dialog.waitFor({ state: 'hidden' })
      expect(await page.evaluate(() => called.filter(([name]) => name === 'verify'))).toEqual([])
      await at(page, opener).click()
      expect((await dialog.getByTestId('digits').textContent())?.trim()).toBe('9999 9999 9999 9')
      await dialog.getByTestId('codes-match').click()
      await expect
        .poll(() => page.evaluate(() => called.filter(([name]) => name === 'verify')))
        .toEqual([['verify', true, '9999999999999']])
    },
  )

  it('ENC-583 UI-10 a dialog that is opened before there is a code shows it as soon as there is one', async () => {
    const page = await openPage()
    await at(page, 'security').click()
    await at(page, 'compare').getByText('waits here').waitFor()
    await page.evaluate(() => show('unverified'))
    await at(page, 'codes-match').click()
    await expect
      .poll(() => page.evaluate(() => called.filter(([name]) => name === 'verify')))
      .toEqual([['verify', true, DIGITS]])
  })

  it('ENC-412 UI-10 a changed key asks above the composer, and a broken contact says so', async () => {
    const page = await openPage()
    await page.evaluate(() => show('changed'))
    await at(page, 'accept-key').click()
    await at(page, 'compare-keys').click()
    await page.locator('[data-testid=compare]:visible').getByTestId('codes-differ').click()
    const decisions = (): Promise<readonly unknown[][]> =>
      page.evaluate(() => called.filter(([name]) => name === 'acceptKey' || name === 'verify'))
    await expect.poll(decisions).toEqual([
      ['acceptKey', DIGITS],
      ['verify', false, DIGITS],
    ])
    await page.evaluate(() => show('broken'))
    await page.locator('[data-testid=key-notice][data-state=broken]').waitFor()
    expect(await at(page, 'key-notice').getAttribute('role')).toBe('alert')
  })

  it('ENC-585 a file that is saved is decrypted once, and given back when the browser has read it', async () => {
    const page = await openPage()
    await page.clock.install()
    await page.evaluate(`{
      window.given = []
      const revoke = URL.revokeObjectURL
      URL.revokeObjectURL = (url) => { window.given.push(url); revoke.call(URL, url) }
      file('f1')
    }`)
    const button = at(page, 'download')
    await button.click()
    await button.click()
    await shoot(page, 'saving')
    const times = (): Promise<number> =>
      page.evaluate(() => called.filter(([name]) => name === 'openAttachment').length)
    expect([await times(), await button.getAttribute('aria-busy')]).toEqual([1, 'true'])
    const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => opened())])
    expect(download.suggestedFilename()).toBe('bill.pdf')
    expect(await page.evaluate('given.length')).toBe(0)
    await page.clock.fastForward(10_000)
    expect([await page.evaluate('given.length'), await button.getAttribute('aria-busy')]).toEqual([
      1,
      'false',
    ])
    await button.click()
    expect(await times()).toBe(2)
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
