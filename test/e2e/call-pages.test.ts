/**
 * A call with pictures on both pages: what the other side has muted, and the picture in a window of its own. With
 * `DUOLOG_SHOTS=path` it also takes pictures.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { COLOURS } from '../support/camera.ts'
import { look } from '../support/looks.ts'
import { at, openPages } from '../support/pages.ts'
import type { OpenedPages } from '../support/pages.ts'
import { shows } from '../support/remote-picture.ts'

let opened: OpenedPages | undefined
let browsers: OpenedPages['browsers']
let visitor: Page
let agent: Page

/** What a page says of the other side, each with an icon. */
const signs = (page: Page, id = 'peer-muted'): Promise<readonly (readonly [string, boolean])[]> =>
  at(page, id).evaluate((status) =>
    [...status.children].map(
      (sign) =>
        [
          sign.textContent?.trim() ?? '',
          sign.querySelector('svg')?.checkVisibility({ visibilityProperty: true }) === true,
        ] as const,
    ),
  )

async function says(page: Page, ...texts: readonly string[]): Promise<void> {
  await expect.poll(() => signs(page)).toEqual(texts.map((text) => [text, true]))
}

/** Whether the picture of the other side stands in a window of its own. */
const isApart = (page: Page): Promise<boolean> =>
  at(page, 'remote-video').evaluate((video) => {
    const root = video.getRootNode()
    return root instanceof ShadowRoot && root.pictureInPictureElement === video
  })

beforeAll(async () => {
  opened = await openPages({ args: ['--auto-select-tab-capture-source-by-title=Fern'] })
  ;({ visitor, agent, browsers } = opened)
  await at(agent, 'ready-switch').click()
  await at(visitor, 'launcher').click()
  await at(visitor, 'nick').fill('Robin')
  await at(visitor, 'start').click()
  await at(agent, 'accept-contact').click()
  await at(visitor, 'call-video').click()
  await at(agent, 'accept-offer').click()
  await shows(visitor, COLOURS.blue)
  await shows(agent, COLOURS.red)
})

afterAll(() => opened?.close())

describe('a call with pictures', () => {
  it('UI-11 ENG-27 says in words and by an icon what the other side has muted, also minimised', async () => {
    await says(visitor)
    await at(agent, 'mute-audio').click()
    await says(visitor, 'Ada has muted the microphone')
    await at(agent, 'mute-video').click()
    await says(visitor, 'Ada has muted the microphone', 'The camera of Ada is off')
    await shows(visitor, [0, 0, 0])
    await look(visitor, 'peer-muted')
    await at(visitor, 'composer').press('Escape')
    const minimised = await signs(visitor, 'live-peer-muted')
    expect(minimised).toEqual([
      ['Ada has muted the microphone', true],
      ['The camera of Ada is off', true],
    ])
    await look(visitor, 'peer-muted-minimised')
    await at(visitor, 'open-call').click()
    await at(visitor, 'mute-video').click()
    await says(agent, 'The camera of Robin is off')
    await look(agent, 'peer-muted-agent')
    await at(agent, 'mute-audio').click()
    await says(visitor, 'The camera of Ada is off')
  })

  it.each(['visitor', 'agent'] as const)(
    'UI-11 ENG-27 RES-1 both sides are told again after the page of the %s is loaded anew',
    async (who) => {
      const page = { visitor, agent }[who]
      await page.reload()
      await says(visitor, 'The camera of Ada is off')
      await says(agent, 'The camera of Robin is off')
    },
  )

  it('UI-11 ENG-27 nothing is said any more when cameras are shown again', async () => {
    await at(visitor, 'mute-video').click()
    await at(agent, 'mute-video').click()
    for (const page of [visitor, agent]) await says(page)
    await shows(visitor, COLOURS.blue)
    await shows(agent, COLOURS.red)
  })

  it('SND-312 UI-3 the call that both page loads have interrupted is told of once', async () => {
    for (const page of [visitor, agent]) {
      expect(await at(page, 'messages').getByText('Video started').count()).toBe(1)
      expect(await at(page, 'messages').getByText('ended').count()).toBe(0)
    }
  })

  it('UI-13 UI-12 a screen that is shared is shown on both sides, and its sharing is ended there', async () => {
    await at(visitor, 'share-screen').click()
    await at(agent, 'accept-offer').click()
    await at(agent, 'remote-screen').waitFor()
    await at(visitor, 'local-screen').waitFor()
    await look(visitor, 'screen-shared')
    await look(agent, 'screen-seen')
    await at(visitor, 'stop-screen').click()
    for (const page of [visitor, agent]) await at(page, 'remote-video').waitFor()
    await at(agent, 'remote-screen').waitFor({ state: 'detached' })
  })

  it('UI-12 the picture goes to a window of its own and back, and the window goes with the call', async () => {
    const button = at(visitor, 'picture-in-picture')
    expect(await isApart(visitor)).toBe(false)
    await button.click()
    await expect.poll(() => isApart(visitor)).toBe(true)
    await shows(visitor, COLOURS.blue)
    await button.click()
    await expect.poll(() => isApart(visitor)).toBe(false)
    await button.click()
    await expect.poll(() => isApart(visitor)).toBe(true)
    await at(visitor, 'hangup').click()
    await at(agent, 'hangup').waitFor({ state: 'detached' })
    await expect.poll(() => visitor.evaluate(() => document.pictureInPictureElement)).toBe(null)
    expect([browsers.visitor.pageErrors, browsers.agent.pageErrors]).toEqual([[], []])
  })
})
