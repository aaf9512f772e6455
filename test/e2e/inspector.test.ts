/**
 * The inspector as `npm run inspect` serves it: its demo, time travel, recordings, and two live pages of the
 * same browser.
 */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'

type Slot = 'visitor' | 'agent'

let product: StartedProduct
let chromium: ChromiumUnderTest
let page: Page

const chart = (slot: Slot, machine = 'media'): Locator =>
  page.getByTestId(`machines-${slot}`).locator(`inspect-chart.${machine}`)
const valueOf = (slot: Slot): Promise<string | null> => chart(slot).getByTestId('value').textContent()
const isValue = (slot: Slot, value: string): Promise<void> =>
  chart(slot).getByTestId('value').getByText(value, { exact: true }).waitFor()

/** States that a party's media machine went through from a step on, as the list of steps shows them. */
const passed = async (slot: Slot, from: number): Promise<string[]> => {
  const rows = await page
    .getByTestId('steps')
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? '')),
    )
  const states = rows.flatMap(([count, party, to, , state]) =>
    Number(count) > from && party === slot && to === 'media' && state ? [state] : [],
  )
  return states.filter((state, index) => state !== states[index - 1])
}
const stepCount = async (): Promise<number> => Number(await page.getByTestId('slider').getAttribute('max'))

beforeAll(async () => {
  ;[product, chromium] = await Promise.all([startProduct(), launchChromium()])
  page = await chromium.newPage(`${product.url}/inspector/`)
  await page.getByTestId('paced').uncheck()
  await isValue('agent', 'idle')
})

afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('the inspector', () => {
  it('OPS-8 is served by the service, which prints its address', () => {
    expect(product.output()).toContain(`${product.url}/inspector/`)
  })

  it('OPS-8 shows both machines of the demo go from offering and offered through transiting to idle', async () => {
    const before = await stepCount()
    await page.getByTestId('offer-voice-visitor').click()
    await isValue('agent', 'offered')
    expect(await valueOf('visitor')).toBe('offering · awaitingAnswer')
    expect(
      await chart('visitor')
        .locator('[aria-current]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-path'))),
    ).toEqual(['offering', 'offering.awaitingAnswer'])
    await page.getByTestId('accept-agent').click()
    await page.getByTestId('news').getByText('visitor offers Voice: done').waitFor()
    expect([await passed('visitor', before), await passed('agent', before)]).toEqual([
      [
        'offering.preparing',
        'offering.sent',
        'offering.awaitingAnswer',
        'transiting.working',
        'transiting.awaiting',
        'idle',
      ],
      ['offered', 'transiting.answered', 'transiting.working', 'transiting.awaiting', 'idle'],
    ])
    expect(
      await page
        .getByTestId('media')
        .locator('tr', { hasText: 'Voice' })
        .locator('[data-declared]')
        .allTextContents(),
    ).toEqual([expect.stringContaining('↑'), expect.stringContaining('↑')])
    expect(await page.getByTestId('log').locator('tbody code.type').allTextContents()).toEqual([
      'present',
      'assigned',
      'present',
      'joined',
      'offer',
      'answer',
      'ready',
      'ready',
    ])
  })

  it('OPS-8 UI-13 everybody sees and reaches all of it', async () => {
    await look(page, 'inspector', 'duolog-inspector')
  })

  it('OPS-8 travels in time by list, keys and buttons', async () => {
    const rows = page.getByTestId('steps').locator('tbody tr')
    await rows.filter({ hasText: 'offering.awaitingAnswer' }).first().click()
    expect([await valueOf('visitor'), await valueOf('agent')]).toEqual(['offering · awaitingAnswer', 'idle'])
    expect(await page.getByTestId('log').locator('tbody code.type').last().textContent()).toBe('offer')
    await page.getByTestId('slider').focus()
    await page.keyboard.press('Home')
    expect(await valueOf('visitor')).toBe('not started')
    await page.getByTestId('last').click()
    expect([await valueOf('visitor'), await valueOf('agent')]).toEqual(['idle', 'idle'])
  })

  it('MED-35 counts events that a machine ignores', async () => {
    const ignored = page.getByTestId('ignored')
    const count = Number.parseInt((await ignored.textContent()) ?? '', 10)
    await page.getByTestId('withdraw-visitor').click()
    await ignored.getByText(`${count + 1} ignored`).waitFor()
    await page.getByTestId('last').click()
    expect(await page.getByTestId('steps').locator('tr.now').textContent()).toMatch(
      /visitor\s*media\s*media\.withdraw\s*ignored/,
    )
  })

  it('OPS-8 shows glare, a link that is cut and comes back, and a page that is loaded anew', async () => {
    await page.getByTestId('glare').click()
    await page.getByTestId('news').getByText('glare').waitFor()
    await page.getByTestId('reject-agent').click()
    await isValue('visitor', 'idle')
    await page.getByTestId('cut-agent').click()
    await chart('agent', 'link').getByTestId('value').getByText('waiting').waitFor()
    await page.getByTestId('advance-1000').click()
    await chart('agent', 'link').getByTestId('value').getByText('connected · online').waitFor()
    await page.getByTestId('reload-visitor').click()
    await page.getByTestId('news').getByText('loads the page anew: done').waitFor()
    await isValue('visitor', 'idle')
  })

  it('OPS-8 saves a recording and shows it again', async () => {
    const count = await stepCount()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save').click()])
    const file = await readFile(await download.path())
    await page
      .getByTestId('load')
      .setInputFiles({ name: 'duolog-recording.json', mimeType: 'application/json', buffer: file })
    await page.locator('duolog-inspector').getByText(`A recording of ${count} steps`).waitFor()
    expect([await stepCount(), await valueOf('visitor')]).toEqual([count, 'idle'])
    await page
      .getByTestId('load')
      .setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
    expect(await page.getByRole('alert').textContent()).toContain('this is no recording')
  })

  it("OPS-8 shows the visitor's page and the agent's console live, without what they write", async () => {
    const context = page.context()
    const shop = await chromium.newPage(`${product.url}/visitor/?inspect`, context)
    const desk = await chromium.newPage(`${product.url}/agent/?inspect&nick=Ada`, context)
    await page.getByTestId('source-live').click()
    await chart('agent', 'link').getByTestId('value').getByText('connected · online').waitFor()
    await desk.getByTestId('ready-switch').click()
    await shop.locator('[data-ask]').first().click()
    await shop.getByTestId('nick').fill('Robin')
    await shop.getByTestId('first-message').fill('my secret lamp')
    await shop.getByTestId('start').click()
    await desk.getByTestId('accept-contact').first().click()
    await chart('visitor', 'membership').getByTestId('value').getByText('inside · joined').waitFor()
    await isValue('agent', 'idle')
    expect(await page.getByTestId('log').locator('tbody code.type').allTextContents()).toEqual(
      expect.arrayContaining(['present', 'text', 'assigned', 'joined']),
    )
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save').click()])
    expect(await readFile(await download.path(), 'utf8')).not.toContain('my secret lamp')
    expect(chromium.pageErrors).toEqual([])
  })
})
