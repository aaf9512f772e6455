/**
 * Files between the two pages, over a service that is killed in the middle. With `DUOLOG_SHOTS=path` it also
 * takes pictures.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { look } from '../support/looks.ts'
import { ServiceProcess } from '../support/service-process.ts'
import { preparedData } from '../support/prepared-store.ts'
import { at } from '../support/pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MB = 1024 * 1024
const BIG = randomBytes(6 * MB)
const data = preparedData()
let port: number
let service: ServiceProcess
let chromium: ChromiumUnderTest
let visitor: Page
let agent: Page

const folders = [
  '--sdk-dir',
  join(root, 'dist/browser'),
  '--visitor-dir',
  join(root, 'apps/visitor/dist'),
  '--agent-dir',
  join(root, 'apps/agent/dist'),
]
const start = (): Promise<ServiceProcess> =>
  ServiceProcess.start(['--port', String(port), '--data', data.folder, '--max-file', '8', ...folders])
const choose = (page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> =>
  at(page, 'file-input').setInputFiles({ name, mimeType, buffer })
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** What a click on the button of the last file saves. */
async function saved(page: Page): Promise<{ name: string; sha: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), at(page, 'download').last().click()])
  return { name: download.suggestedFilename(), sha: shaOf(await readFile(await download.path())) }
}

beforeAll(async () => {
  port = await freePort()
  service = await start()
  chromium = await launchChromium()
  agent = await chromium.newPage(`http://localhost:${port}/agent/?nick=Ada`)
  visitor = await chromium.newPage(`http://localhost:${port}/visitor/`)
  for (const page of [visitor, agent]) await page.setViewportSize({ width: 1000, height: 760 })
  await at(agent, 'ready-switch').click()
  await at(visitor, 'launcher').click()
  await at(visitor, 'nick').fill('Robin')
  await at(visitor, 'first-message').fill('This one is broken')
  await at(visitor, 'start').click()
  await at(agent, 'accept-contact').click()
  await visitor.getByText('Ada').first().waitFor()
})

afterAll(async () => {
  await chromium?.close()
  await service?.stop()
  data.remove()
})

describe('files', () => {
  it('UI-13 ATT-1 ATT-2 OPS-3 UI-1 the visitor sends a picture with the keyboard, the agent sees and saves it', async () => {
    const png = await visitor.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } })
    const chooser = visitor.waitForEvent('filechooser')
    await at(visitor, 'attach-file').press('Enter')
    await (
      await chooser
    ).setFiles({ name: 'kaputte Lampe – 壊れたランプ 💡.png', mimeType: 'image/png', buffer: png })
    const preview = at(agent, 'file-preview')
    await preview.waitFor()
    await expect
      .poll(() =>
        preview.evaluate((image) =>
          image instanceof HTMLImageElement ? [image.naturalWidth, image.naturalHeight] : [],
        ),
      )
      .toEqual([320, 200])
    await visitor
      .locator(':is([data-delivery=delivered], [data-delivery=read])')
      .filter({ hasText: 'kaputte Lampe – 壊れたランプ 💡.png' })
      .waitFor()
    expect(await saved(agent)).toEqual({ name: 'kaputte Lampe – 壊れたランプ 💡.png', sha: shaOf(png) })
    expect(await saved(visitor)).toEqual({ name: 'kaputte Lampe – 壊れたランプ 💡.png', sha: shaOf(png) })
    await look(visitor, 'visitor-picture')
    await look(agent, 'agent-picture')
    await at(visitor, 'open-picture').press('Enter')
    await at(visitor, 'large-picture').waitFor()
    expect((await at(visitor, 'large-picture').locator('img').boundingBox())?.width).toBe(320)
    await look(visitor, 'picture-large')
    await visitor.keyboard.press('Escape')
    await at(visitor, 'large-picture').waitFor({ state: 'hidden' })
    await visitor.locator(':focus').and(at(visitor, 'open-picture')).waitFor()
    await at(visitor, 'composer').waitFor()
  })

  it('ATT-3 PKG-3 the agent sends a large file; the service is killed in the middle, and the upload goes on', async () => {
    const loaded = await agent.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => /tus/.test(name)).length,
    )
    const cdp = await agent.context().newCDPSession(agent)
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 2 * MB,
    })
    await choose(agent, 'manual.zip', 'application/zip', BIG)
    const progress = at(agent, 'file-progress')
    await expect
      .poll(() => progress.evaluate((bar) => (bar instanceof HTMLProgressElement ? bar.value : 0)), {
        timeout: 20_000,
        interval: 50,
      })
      .toBeGreaterThan(0.4)
    await service.kill()
    service = await start()
    await at(visitor, 'file-name').filter({ hasText: 'manual.zip' }).waitFor()
    expect([loaded, await saved(visitor)]).toEqual([0, { name: 'manual.zip', sha: shaOf(BIG) }])
    await cdp.detach()
  })

  it('ATT-3 the visitor cancels a file, and nothing of it comes', async () => {
    const cdp = await visitor.context().newCDPSession(visitor)
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: MB / 2,
    })
    await choose(visitor, 'never mind.zip', 'application/zip', BIG)
    await at(visitor, 'cancel-upload').click()
    await visitor.getByText('never mind.zip').waitFor({ state: 'detached' })
    await cdp.detach()
    await at(visitor, 'composer').fill('Never mind the file')
    await visitor.keyboard.press('Enter')
    await agent.getByText('Never mind the file').last().waitFor()
    expect(await agent.getByText('never mind.zip').count()).toBe(0)
  })

  it('UI-13 ATT-4 what is too large is refused in words, and can be taken away', async () => {
    await choose(visitor, 'huge.zip', 'application/zip', Buffer.alloc(8 * MB + 1))
    await at(visitor, 'send-failure').filter({ hasText: 'too large. At most 8 MB' }).waitFor()
    await look(visitor, 'visitor-refused')
    await at(visitor, 'discard').click()
    await at(visitor, 'send-failure').waitFor({ state: 'detached' })
    expect(chromium.pageErrors).toEqual([])
  })

  it('UI-3 ATT-4 of a contact that is over files have names alone, on both sides: nobody opens them', async () => {
    await at(visitor, 'download').first().waitFor()
    await at(visitor, 'leave').click()
    await at(visitor, 'confirm-yes').click()
    // Of a visitor who has left nobody is asked whether they are sure.
    await agent.getByText('Robin has left').first().waitFor()
    await at(agent, 'end-contact').click()
    for (const page of [visitor, agent]) {
      await at(page, 'ending').waitFor()
      await expect.poll(() => at(page, 'download').count()).toBe(0)
      expect(await at(page, 'file-name').count()).toBeGreaterThan(0)
    }
  })
})
