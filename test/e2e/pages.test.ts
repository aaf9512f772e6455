/** The two pages as people use them. With `DUOLOG_PICTURE=path` it also takes the README's picture. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { look } from '../support/looks.ts'
import { at, openPages } from '../support/pages.ts'
import type { OpenedPages } from '../support/pages.ts'
import { shows } from '../support/remote-picture.ts'

const PICTURE = process.env['DUOLOG_PICTURE']
const SIZE = { width: 1000, height: 760 }

let opened: OpenedPages | undefined
let browsers: OpenedPages['browsers']
let visitor: Page
let agent: Page

async function takePicture(path: string): Promise<void> {
  const [left, right] = await Promise.all([visitor.screenshot(), agent.screenshot()])
  const page = await browsers.visitor.newPage()
  await page.setViewportSize({ width: SIZE.width * 2 + 60, height: SIZE.height + 40 })
  const image = (shot: Buffer): string =>
    `<img src="data:image/png;base64,${shot.toString('base64')}" style="width:${SIZE.width}px;border-radius:12px;box-shadow:0 2px 16px #0003">`
  await page.setContent(
    `<body style="margin:20px;display:flex;gap:20px;background:#eceae4">${image(left)}${image(right)}`,
  )
  await page.screenshot({ path, scale: 'css' })
  await page.close()
}

beforeAll(async () => {
  opened = await openPages(PICTURE ? { camera: null } : {})
  ;({ visitor, agent, browsers } = opened)
})

afterAll(() => opened?.close())

describe('the pages', () => {
  it('UI-1 a visitor starts a contact with the keyboard alone, and the agent takes it', async () => {
    await at(agent, 'ready-switch').press('Space')
    await at(visitor, 'launcher').press('Enter')
    await at(visitor, 'nick').pressSequentially('Robin')
    await at(visitor, 'first-message').pressSequentially('Is the oak lamp in stock?')
    await at(visitor, 'start').press('Enter')
    await at(agent, 'accept-contact').press('Enter')
    await agent.getByText('Is the oak lamp in stock?').last().waitFor()
    await visitor.getByText('Ada').first().waitFor()
  })

  it('OPS-3 they write to each other', async () => {
    await Promise.all(
      [agent, visitor].map((page) => page.locator('[data-stage="talking"]').first().waitFor()),
    )
    await at(agent, 'composer').pressSequentially('Hello Robin, two are left.')
    await at(visitor, 'typing').filter({ hasText: 'Ada' }).waitFor()
    await agent.keyboard.press('Enter')
    await visitor.getByText('Hello Robin, two are left.').last().waitFor()
    await at(visitor, 'composer').pressSequentially('Could I see it lit?')
    await visitor.keyboard.press('Enter')
    await agent.getByText('Could I see it lit?').last().waitFor()
  })

  it('OPS-3 the visitor calls with video, the agent accepts, and both see each other', async () => {
    await at(visitor, 'call-video').click()
    await at(agent, 'accept-offer').click()
    if (PICTURE) {
      for (const page of [visitor, agent]) await at(page, 'remote-video').first().waitFor()
      await visitor.waitForTimeout(4_000)
      return takePicture(PICTURE)
    }
    await shows(visitor, COLOURS.blue)
    await shows(agent, COLOURS.red)
  })

  it('UI-7 both pages show how good the call is, and say it to a screen reader by name', async () => {
    for (const page of [visitor, agent]) {
      const quality = page.getByRole('img', { name: 'Connection: good' })
      await quality.waitFor()
      expect(await quality.getAttribute('data-level')).toBe('good')
    }
  })

  it('UI-13 UI-9 ENG-17 ENG-24 with the keyboard, by name: the visitor chooses a microphone and holds the call, and the agent is told', async () => {
    const devices = visitor.getByRole('button', { name: 'Devices' })
    await devices.focus()
    await visitor.keyboard.press('Enter')
    const microphone = visitor.getByRole('combobox', { name: 'Microphone' })
    await microphone.waitFor()
    await look(visitor, 'devices')
    const second = await microphone.evaluate((select: HTMLSelectElement) => select.options[1]?.value ?? '')
    await microphone.selectOption(second)
    expect(await visitor.getByRole('combobox', { name: 'Camera' }).count()).toBe(1)
    await visitor.keyboard.press('Escape')
    await expect.poll(() => devices.evaluate((button) => button.matches(':focus'))).toBe(true)
    const hold = visitor.getByRole('button', { name: 'Put the call on hold' })
    await hold.press('Enter')
    expect(await hold.getAttribute('aria-pressed')).toBe('true')
    await agent.getByRole('status').filter({ hasText: 'Robin has put the call on hold' }).waitFor()
    await shows(agent, [0, 0, 0])
    for (const [name, page] of Object.entries({ visitor, agent })) await look(page, `hold-${name}`)
    await hold.press('Enter')
    await agent.getByText('Robin has put the call on hold').waitFor({ state: 'hidden' })
    await shows(agent, COLOURS.red)
  })

  it('UI-13 OPS-3 the agent turns the video off and the call goes on; then the visitor leaves and the agent ends the contact', async () => {
    await at(agent, 'hangup-video').click()
    await at(visitor, 'remote-video').waitFor({ state: 'detached' })
    await at(visitor, 'hangup').waitFor()
    await at(visitor, 'leave').click()
    await at(visitor, 'confirm-yes').waitFor()
    await look(visitor, 'leave')
    await at(visitor, 'confirm-yes').click()
    await at(visitor, 'ending').waitFor()
    await at(agent, 'end-contact').click()
    await at(agent, 'ending').waitFor()
    expect([browsers.visitor.pageErrors, browsers.agent.pageErrors]).toEqual([[], []])
  })
})
