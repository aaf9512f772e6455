import { appendFile, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { residentMb, watchMemory } from '../support/browser-memory.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { contactPage } from '../support/visitor-page.ts'

const MB = 1024 * 1024
/** `DUOLOG_LARGE_MB=1024` sends a gigabyte. */
const SIZE_MB = Number(process.env['DUOLOG_LARGE_MB'] ?? 128)
/** What all processes of the browser together may grow by, whatever the file. */
const GROWTH_MB = 48

const file = join(tmpdir(), `duolog-large-${process.pid}.zip`)
let product: StartedProduct
let chromium: ChromiumUnderTest

beforeAll(async () => {
  const handle = await open(file, 'w')
  await handle.truncate(SIZE_MB * MB)
  await handle.close()
  product = await startProduct()
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
  await rm(file, { force: true })
})

it(`ATT-7 ${SIZE_MB} MB go out of the browser, and its memory stays flat`, async () => {
  const page = await contactPage(chromium, product.url, { nick: 'Robin' })
  const cdp = await chromium.browser.newBrowserCDPSession()
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'large' })),
  )
  await page.locator('#large').setInputFiles(file)
  const before = await residentMb(cdp)
  const memory = watchMemory(cdp)
  const started = performance.now()
  const { sent, heapMb } = await page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>('#large')
    const chosen = input?.files?.[0]
    if (!chosen) throw new Error('no file was chosen')
    const steps: number[] = []
    await globalThis.__contact.attach(chosen, undefined, undefined, {
      onProgress: (bytes) => void steps.push(bytes),
    })
    return {
      sent: steps.at(-1),
      heapMb:
        (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1_048_576,
    }
  })
  const seconds = (performance.now() - started) / 1000
  const most = await memory.stop()
  console.log(
    `${SIZE_MB} MB: up in ${seconds.toFixed(1)} s; memory of the browser ${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB; the page's heap ${heapMb.toFixed(0)} MB`,
  )
  expect(sent).toBe(SIZE_MB * MB)
  expect(most - before).toBeLessThan(GROWTH_MB)
  expect(heapMb).toBeLessThan(50)
}, 600_000)

it('ATT-3 ERR-2 a file that changes on the disk before it is sent is given up, with a code', async () => {
  const page = await contactPage(chromium, product.url, { nick: 'Robin' })
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'changing' })),
  )
  await page.locator('#changing').setInputFiles(file)
  await appendFile(file, 'more')
  const failure = await page.evaluate(async () => {
    const chosen = document.querySelector<HTMLInputElement>('#changing')?.files?.[0]
    if (!chosen) throw new Error('no file was chosen')
    return globalThis.__contact.attach(chosen).then(
      () => null,
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    )
  })
  expect(failure).toEqual({
    code: 'invalid_argument',
    message: expect.stringMatching(/cannot be read any more/) as unknown,
  })
})
