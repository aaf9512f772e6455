/**
 * What a person can see and reach in every state of the two pages. With `DUOLOG_SHOTS=path` it also takes
 * pictures of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { look } from '../support/looks.ts'
import { at, openPages } from '../support/pages.ts'
import type { OpenedPages } from '../support/pages.ts'

const SHOTS = process.env['DUOLOG_SHOTS']
const SIZE = { width: 1000, height: 760 }
/** A window of 1280 × 800 (CSS pixels) at 200 and at 400 %, and a small one at 400 %. */
const ZOOMED = [
  { width: 640, height: 400 },
  { width: 320, height: 256 },
] as const

/** Written from right to left: on a page that is written from left to right, what stands behind it would jump. */
const NAME = 'רובין (2)'

let opened: OpenedPages | undefined
let visitor: Page
let agent: Page

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}-${name}.png` })
}

/** Scrolls a control into view as a person would, and tells whether it can be clicked there. */
async function isReachable(control: Locator): Promise<boolean> {
  await control.scrollIntoViewIfNeeded()
  return control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    let found = document.elementFromPoint(x, y)
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y)
      if (!inner || inner === found) break
      found = inner
    }
    return found !== null && (element === found || element.contains(found))
  })
}

/** Whether what an element says is heard: it plays, and not without sound. */
const isHeard = (page: Page, id: string): Promise<boolean> =>
  at(page, id).evaluate(
    (element) =>
      element instanceof HTMLMediaElement &&
      !element.paused &&
      !element.muted &&
      element.srcObject instanceof MediaStream,
  )

/** Where the text of an element begins, from the left. */
const textLeft = (of: Locator): Promise<number> =>
  of.first().evaluate((element) => {
    const text = document.createRange()
    text.selectNodeContents(element)
    return text.getBoundingClientRect().left
  })

beforeAll(async () => {
  opened = await openPages()
  ;({ visitor, agent } = opened)
})

afterAll(() => opened?.close())

describe('the states of the pages', () => {
  it('UI-13 SND-312 who waits is told the place in the queue', async () => {
    await at(visitor, 'launcher').waitFor()
    await look(visitor, 'launcher')
    await look(agent, 'paused')
    await at(visitor, 'launcher').click()
    await at(visitor, 'start').click()
    await look(visitor, 'form-incomplete')
    await at(visitor, 'nick').fill(NAME)
    await at(visitor, 'first-message').fill('Is the oak lamp in stock?')
    await at(visitor, 'start').click()
    await at(visitor, 'queue').filter({ hasText: 'Your place in the queue: 1.' }).waitFor()
    await look(visitor, 'queue')
    await at(agent, 'ready-switch').click()
    await at(agent, 'accept-contact').waitFor()
    await look(agent, 'incoming')
    await at(agent, 'accept-contact').click()
    await agent.getByText('Is the oak lamp in stock?').last().waitFor()
    await at(visitor, 'composer').waitFor()
    await look(visitor, 'talking')
    await look(agent, 'talking-agent')
  })

  it('SND-353 names stand in their own direction, whatever that of the page is', async () => {
    const direction = (locator: Locator): Promise<string> =>
      locator.first().evaluate((element) => getComputedStyle(element).direction)
    const shown = at(agent, 'peer-name')
    await shown.filter({ hasText: NAME }).waitFor()
    const [listed, writer] = [
      at(agent, 'contact-item').locator('.name'),
      at(agent, 'messages').locator('.who'),
    ]
    expect([await direction(shown), await direction(listed), await direction(writer)]).toEqual([
      ...['rtl', 'rtl', 'rtl'],
    ])
    expect(await direction(at(agent, 'messages'))).toBe('ltr')
    await visitor.evaluate(() => (document.documentElement.dir = 'rtl'))
    await at(visitor, 'peer-name').filter({ hasText: 'Ada' }).waitFor()
    expect([await direction(at(visitor, 'messages')), await direction(at(visitor, 'peer-name'))]).toEqual([
      'rtl',
      'ltr',
    ])
    // What stands in an empty field is of the page.
    expect(await direction(at(visitor, 'composer'))).toBe('rtl')
    await visitor.evaluate(() => (document.documentElement.dir = 'ltr'))
  })

  it('UI-13 SND-353 names in the other direction begin where the line below them does', async () => {
    for (const [name, below] of [
      [at(agent, 'peer-name'), at(agent, 'conversation-status')],
      [at(agent, 'contact-item').locator('.name'), at(agent, 'contact-item').locator('.preview')],
    ] as const)
      expect(Math.abs((await textLeft(name)) - (await textLeft(below)))).toBeLessThan(4)
  })

  it('UI-13 SND-312 a call stays in sight when the chat is minimised, and can be muted and shown again there', async () => {
    await at(visitor, 'call-voice').click()
    await at(agent, 'accept-offer').waitFor()
    await look(agent, 'offer')
    await look(visitor, 'calling')
    await at(agent, 'accept-offer').click()
    await at(visitor, 'hangup').waitFor()
    await look(visitor, 'voice-call')
    await at(visitor, 'composer').press('Escape')
    await at(visitor, 'panel').waitFor({ state: 'hidden' })
    await at(visitor, 'live-call').waitFor()
    expect(await at(visitor, 'call-time').textContent()).toMatch(/^\d+:\d\d$/)
    await expect.poll(() => isHeard(visitor, 'remote-audio')).toBe(true)
    await at(visitor, 'live-mute').click()
    expect(await at(visitor, 'live-mute').getAttribute('aria-pressed')).toBe('true')
    await look(visitor, 'minimised')
    await at(visitor, 'live-mute').click()
    await at(visitor, 'open-call').click()
    await at(visitor, 'panel').waitFor()
    expect(await at(visitor, 'live-call').count()).toBe(0)
  })

  it('SND-312 forced colours show what is pressed and what is on', async () => {
    for (const page of [visitor, agent]) await page.emulateMedia({ forcedColors: 'active' })
    await at(visitor, 'mute-audio').click()
    const colours = (locator: Locator): Promise<string> =>
      locator.evaluate((element) => getComputedStyle(element).backgroundColor)
    const [pressed, released] = [await colours(at(visitor, 'mute-audio')), await colours(at(visitor, 'hold'))]
    expect(pressed).not.toBe(released)
    const track = at(agent, 'ready-switch').locator('.track')
    const on = await colours(track)
    expect(
      await agent
        .locator('.avatar')
        .first()
        .evaluate((each) => getComputedStyle(each).borderTopWidth),
    ).toBe('1px')
    await shoot(visitor, 'forced-colours')
    await shoot(agent, 'forced-colours-agent')
    await at(agent, 'ready-switch').click()
    await expect.poll(() => colours(track)).not.toBe(on)
    await at(agent, 'ready-switch').click()
    await at(visitor, 'mute-audio').click()
    for (const page of [visitor, agent]) await page.emulateMedia({ forcedColors: 'none' })
  })

  it.each(ZOOMED)(
    'SND-312 zoomed to $width × $height everything of a call and the composer can be reached',
    async (size) => {
      for (const [name, page] of [
        ['visitor', visitor],
        ['agent', agent],
      ] as const) {
        await page.setViewportSize(size)
        for (const id of ['messages', 'composer', 'mute-audio', 'hangup'])
          expect([name, id, await isReachable(at(page, id).first())]).toEqual([name, id, true])
        await shoot(page, `zoom-${size.width}-${name}`)
        await page.setViewportSize(SIZE)
      }
    },
  )

  it('UI-13 SND-312 in the console a call goes on in sight, and is heard, while another contact is looked at', async () => {
    await agent.setViewportSize({ width: 700, height: 700 })
    await agent.locator('.back').click()
    await at(agent, 'live-call').waitFor()
    await expect.poll(() => isHeard(agent, 'live-audio')).toBe(true)
    await look(agent, 'console-live-call')
    await at(agent, 'open-call').click()
    await at(agent, 'hangup').waitFor()
    await agent.setViewportSize(SIZE)
  })

  it('SND-312 a call is ended from the launcher', async () => {
    await at(visitor, 'composer').press('Escape')
    await at(visitor, 'live-hangup').click()
    await at(visitor, 'live-call').waitFor({ state: 'detached' })
    await at(agent, 'hangup').waitFor({ state: 'detached' })
    await at(visitor, 'launcher').click()
  })

  it('SND-312 SND-352 a picture has its room before it is there, and does not land below the fold: the list stays at its end', async () => {
    const png = await visitor.evaluate(async () => {
      const canvas = new OffscreenCanvas(800, 600)
      canvas.getContext('2d')?.fillRect(0, 0, 800, 600)
      return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())]
    })
    await at(agent, 'file-input').setInputFiles({
      name: 'lamp.png',
      mimeType: 'image/png',
      buffer: Buffer.from(png),
    })
    for (const page of [visitor, agent]) {
      const picture = at(page, 'file-preview')
      await picture.waitFor()
      await expect
        .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0))
        .toBe(true)
      const box = await picture.boundingBox()
      expect(Math.round(((box?.width ?? 0) / (box?.height ?? 1)) * 3)).toBe(4)
      const rest = await at(page, 'messages').evaluate(
        (list) => list.scrollHeight - list.scrollTop - list.clientHeight,
      )
      expect(Math.abs(rest)).toBeLessThan(2)
      const list = await at(page, 'messages').boundingBox()
      const [end, fold] = [(box?.y ?? 0) + (box?.height ?? 0), (list?.y ?? 0) + (list?.height ?? 0)]
      expect(end).toBeLessThanOrEqual(fold)
    }
    // The visitor's list is longer than its place: the picture would land below it.
    expect(await at(visitor, 'messages').evaluate((list) => list.scrollHeight > list.clientHeight)).toBe(true)
  })

  it('SND-312 a console that has kept nothing shows what was said', async () => {
    await at(agent, 'composer').fill('Two are left.')
    await agent.keyboard.press('Enter')
    await visitor.getByText('Two are left.').last().waitFor()
    await agent.evaluate(() => {
      for (const key of Object.keys(sessionStorage))
        if (key.startsWith('duolog-shown:')) sessionStorage.removeItem(key)
    })
    await agent.reload()
    await at(agent, 'contact-item').click()
    for (const text of ['Is the oak lamp in stock?', 'Two are left.'])
      await at(agent, 'messages').getByText(text).first().waitFor()
    const shown = await at(agent, 'messages').locator('.bubble').allInnerTexts()
    expect(shown.filter((text) => text.includes('Two are left.')).length).toBe(1)
  })
})
