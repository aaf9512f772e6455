/** What ends a capture from outside, in a browser, over the real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openProduct } from '../support/product-page.ts'
import type { ProductPage } from '../support/product-page.ts'
import { PACED_CLOCK } from '../support/paced-clock.ts'
import { partiesIn } from '../support/parties-page.ts'
import { UNPLUGGING } from './unplugging.ts'
import { seesFrames } from '../support/watch.ts'

/** Of the contact's own time, which is that of the page's clock. */
const LEARNS_WITHIN_MS = 2_000

let product: ProductPage
let page: Page

const untilTrue = (condition: string): Promise<unknown> =>
  page.waitForFunction(condition, undefined, { polling: 20 })

beforeAll(async () => {
  product = await openProduct('window.ready = true', {
    permissions: 'ask',
    args: ['--auto-select-tab-capture-source-by-title=Shared'],
  })
  page = await product.browser.newPage()
  await page.context().grantPermissions(['camera', 'microphone'], { origin: new URL(product.site).origin })
  await page.goto(product.site)
  await page.evaluate(`(async () => { ${UNPLUGGING} ${PACED_CLOCK} ${partiesIn(product, 'clock')} })()`)
})

afterAll(async () => {
  await product?.close()
})

describe('a capture that ends from outside', () => {
  it('ENG-11 MED-31 a share that ends with what was shared goes off, and the remote learns it within 2 s', async () => {
    const shared = await page.context().newPage()
    await shared.setContent('<title>Shared</title><h1>Shared</h1>')
    await page.bringToFront()
    await page.evaluate(`(async () => {
      const offer = await parties.visitor.getMediaOffer();
      await parties.visitor.offerMedia({ ...offer, Screen: { tx: 'required', rx: 'off' } });
      await idle();
      parties.agent.on('mediachange', ({ newMedia }) => { window.left = Object.keys(newMedia); });
    })()`)
    expect(await page.evaluate(`mirrored().then(({ mine }) => Object.keys(mine))`)).toEqual([
      'Sharing',
      'Chat',
      'Screen',
    ])
    await page.evaluate(`clock.within(${LEARNS_WITHIN_MS})`)
    await shared.close()
    await untilTrue(`window.left?.join() === 'Sharing,Chat'`)
    await page.evaluate('clock.free()')
    expect(await page.evaluate(`mirrored().then(({ mine }) => Object.keys(mine))`)).toEqual([
      'Sharing',
      'Chat',
    ])
  })

  it('ENG-11 ENG-17 MED-31 an unplugged camera makes way for the other one, and without one Video goes off: the remote sees and learns it within 2 s', async () => {
    await page.evaluate(`(async () => {
      const offer = await parties.visitor.getMediaOffer();
      await parties.visitor.offerMedia({ ...offer, Video: { tx: 'required', rx: 'off' } });
      await idle();
    })()`)
    const inUse = `parties.visitor.getMediaEngine('WebRTC').data().Video?.tx_stream?.getVideoTracks()[0].getSettings().deviceId`
    await seesFrames(page, { js: 'streams.agent.Video' }, 3)
    await page.evaluate(`clock.within(${LEARNS_WITHIN_MS})`)
    expect(await page.evaluate('unplugCamera()')).toBe('first')
    await untilTrue(`${inUse} === 'second'`)
    await seesFrames(page, { js: 'streams.agent.Video' }, 3)
    await page.evaluate(
      `window.left = undefined; parties.agent.on('mediachange', ({ newMedia }) => { window.left = Object.keys(newMedia); })`,
    )
    await page.evaluate(`clock.within(${LEARNS_WITHIN_MS})`)
    expect(await page.evaluate('unplugCamera()')).toBe('second')
    await untilTrue(`window.left?.join() === 'Sharing,Chat'`)
    await page.evaluate('clock.free()')
    expect(await page.evaluate(`mirrored().then(({ mine }) => Object.keys(mine))`)).toEqual([
      'Sharing',
      'Chat',
    ])
    await page.evaluate('plugIn()')
  })

  it('ENG-11 MED-31 a permission that is taken back turns off what it was for, and the remote learns it within 2 s', async () => {
    await page.evaluate(`(async () => {
      const offer = await parties.visitor.getMediaOffer();
      await parties.visitor.offerMedia({ ...offer, Voice: { tx: 'required', rx: 'off' }, Video: { tx: 'required', rx: 'off' } });
      await idle();
    })()`)
    await seesFrames(page, { js: 'streams.agent.Video' }, 3)
    await page.evaluate(
      `window.left = undefined; parties.agent.on('mediachange', ({ newMedia }) => { window.left = Object.keys(newMedia); })`,
    )
    await page.evaluate(`clock.within(${LEARNS_WITHIN_MS})`)
    await page.context().clearPermissions()
    await untilTrue(`window.left?.join() === 'Sharing,Chat'`)
    await page.evaluate('clock.free()')
    expect(await page.evaluate(`mirrored().then(({ mine }) => Object.keys(mine))`)).toEqual([
      'Sharing',
      'Chat',
    ])
    expect(product.browser.pageErrors).toEqual([])
  })
})
