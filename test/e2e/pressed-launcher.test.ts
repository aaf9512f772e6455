/** The button of `widget.js` that is pressed while the panel, with a button of its own, arrives. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { openTagged } from '../support/tagged-page.ts'
import type { TaggedPage } from '../support/tagged-page.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let site: TaggedPage | undefined
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 }

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
})
afterEach(async () => {
  await site?.page.close()
  await site?.close()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('a panel that arrives while the button is pressed', () => {
  /** A page whose panel waits for `arrive`. */
  async function held() {
    site = await openTagged(chromium, product.url)
    const { page } = site
    let arrive = (): void => {}
    const pressed = new Promise<void>((resolve) => (arrive = resolve))
    await page.route(/-[A-Z0-9]{8}\.js/, async (route) => {
      await pressed
      await route.continue()
    })
    const arrives = async (): Promise<void> => {
      arrive()
      await page.locator('duolog-widget [data-loader]').waitFor({ state: 'detached' })
    }
    const { x, y, width, height } = (await page.getByTestId('launcher').boundingBox()) ?? NOWHERE
    return { page, arrives, at: [x + width / 2, y + height / 2] as const }
  }

  it('PRD-2 opens where the pointer is let go on the button', async () => {
    const { page, arrives, at } = await held()
    await page.mouse.move(...at)
    await page.mouse.down()
    await arrives()
    await page.mouse.up()
    await page.getByTestId('nick').waitFor()
  })

  it('PRD-2 stays closed where the pointer is let go elsewhere', async () => {
    const { page, arrives, at } = await held()
    await page.mouse.move(...at)
    await page.mouse.down()
    await arrives()
    await page.mouse.move(at[0], at[1] - 200)
    await page.mouse.up()
    await page.mouse.move(...at)
    await page.mouse.down()
    expect(await page.getByTestId('nick').isVisible()).toBe(false)
    await page.mouse.up()
    await page.getByTestId('nick').waitFor()
  })

  it('PRD-2 opens where the space bar is let go', async () => {
    const { page, arrives } = await held()
    await page.getByTestId('launcher').focus()
    await page.keyboard.down('Space')
    await arrives()
    await page.keyboard.up('Space')
    await page.getByTestId('nick').waitFor()
  })
})
