/** No microphone and no camera is in use without a sign of it in the page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { look } from '../support/looks.ts'
import { at, openPages } from '../support/pages.ts'
import type { OpenedPages } from '../support/pages.ts'
import { NOTE_TRACKS, liveTracks } from '../support/used-devices.ts'

let opened: OpenedPages
let visitor: Page
let agent: Page

beforeAll(async () => {
  opened = await openPages()
  ;({ visitor, agent } = opened)
  for (const page of [visitor, agent]) {
    await page.addInitScript(NOTE_TRACKS)
    await page.reload()
  }
  await at(agent, 'ready-switch').click()
  await at(visitor, 'launcher').click()
  await at(visitor, 'nick').fill('Robin')
  await at(visitor, 'start').click()
  await at(agent, 'accept-contact').click()
  await at(visitor, 'call-voice').waitFor()
})
afterAll(() => opened?.close())

describe('what uses a device stays in sight', () => {
  it('PRD-274 UI-13 a recording ends with its sight, waits to be sent, and the microphone is given back', async () => {
    await at(visitor, 'voice-note').click()
    await at(visitor, 'voice-note-time').getByText('0:01').waitFor()
    expect(await liveTracks(visitor)).toBe(1)
    await at(visitor, 'close-panel').click()
    await expect.poll(() => liveTracks(visitor)).toBe(0)
    await at(visitor, 'launcher').click()
    await visitor.getByText('The recording has ended. Send it, or cancel.').waitFor()
    await look(visitor, 'voice-note-ended')
    await at(visitor, 'voice-note-send').click()
    await at(agent, 'file-play').waitFor()
  })

  it('PRD-274 UI-13 a call that nobody has answered is seen when the chat is minimised, and taken back there', async () => {
    await at(visitor, 'call-video').click()
    await at(agent, 'offer-card').waitFor()
    expect(await liveTracks(visitor)).toBe(2)
    await at(visitor, 'close-panel').click()
    await at(visitor, 'live-peer-muted').getByText('Waiting for Ada to answer…').waitFor()
    await look(visitor, 'calling-minimised')
    await at(visitor, 'live-cancel').click()
    await at(visitor, 'live-call').waitFor({ state: 'detached' })
    await expect.poll(() => liveTracks(visitor)).toBe(0)
    await at(agent, 'offer-card').waitFor({ state: 'detached' })
  })

  it('PRD-274 in the console a call that nobody has answered is seen beside another view', async () => {
    await at(agent, 'call-voice').click()
    await at(visitor, 'offer-card').waitFor()
    expect(await liveTracks(agent)).toBe(1)
    await at(agent, 'view-past').click()
    await at(agent, 'live-peer-muted').getByText('Waiting for Robin to answer…').waitFor()
    await look(agent, 'calling-elsewhere')
    await at(agent, 'open-call').click()
    await at(visitor, 'accept-offer').click()
    await at(visitor, 'hangup').waitFor()
  })

  it('PRD-274 a page that hides the widget hides no call, and what is hidden is not read', async () => {
    await visitor.evaluate(`document.querySelector('duolog-widget').hidden = true`)
    await at(visitor, 'live-hangup').waitFor()
    await at(visitor, 'panel').waitFor({ state: 'hidden' })
    await at(agent, 'composer').fill('Are you there?')
    await agent.keyboard.press('Enter')
    const said = agent.locator('[data-own=true]').filter({ hasText: 'Are you there?' })
    await said.and(agent.locator('[data-delivery=delivered]')).waitFor()
    await at(visitor, 'live-hangup').click()
    await at(visitor, 'live-call').waitFor({ state: 'detached' })
    await expect.poll(() => liveTracks(visitor)).toBe(0)
    await visitor.locator('duolog-widget').waitFor({ state: 'hidden' })
    expect(await said.getAttribute('data-delivery')).toBe('delivered')
    await visitor.evaluate(`document.querySelector('duolog-widget').hidden = false`)
    await said.and(agent.locator('[data-delivery=read]')).waitFor()
    const pageErrors = [opened.browsers.visitor, opened.browsers.agent].map((each) => each.pageErrors)
    expect(pageErrors).toEqual([[], []])
  })
})
