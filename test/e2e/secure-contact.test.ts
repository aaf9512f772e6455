/** A whole secure contact on the two pages, over the real service, which must not read any of it. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EmbeddedCluster } from '../../service/src/store/embedded-cluster.ts'
import { CanarySearch, canary } from '../support/canaries.ts'
import { COLOURS } from '../support/camera.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { ServiceProcess } from '../support/service-process.ts'
import { preparedData } from '../support/prepared-store.ts'
import { temporaryData } from '../support/temporary-data.ts'
import { hears, sees } from '../support/watch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MB = 1024 * 1024
const search = new CanarySearch()
// What a service that stands in the middle of a call would have to replace.
search.add('a=fingerprint:')
const secret = (where: string): string => search.add(canary(where))

const database = preparedData()
const files = temporaryData()
const scratch = temporaryData()
let cluster: EmbeddedCluster
let service: ServiceProcess
let browsers: { readonly visitor: ChromiumUnderTest; readonly agent: ChromiumUnderTest }
let url: string
let visitor: Page
let ada: Page
let bo: Page

const at = (page: Page, id: string): Locator => page.getByTestId(id)
const VISITOR = `document.querySelector('duolog-widget').model.session.contact`
const AGENT = `document.querySelector('duolog-console').model.selected.contact`
/** Runs code with the contact of a page as `contact` and an argument as `value`. */
const within = <T>(page: Page, code: string, value: unknown = null): Promise<T> =>
  page.evaluate<T>(
    `(async (contact, value) => { ${code} })(${page === visitor ? VISITOR : AGENT}, ${JSON.stringify(value)})`,
  )
const stream = (page: Page, medium: string): { readonly js: string } => ({
  js: `${page === visitor ? VISITOR : AGENT}.__media?.${medium}?.data?.rx_stream`,
})
const state = (page: Page, wanted: string): Promise<void> =>
  page.locator(`[data-testid=security][data-state=${wanted}]`).first().waitFor()
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function say(page: Page, text: string, reader: Page): Promise<void> {
  await at(page, 'composer').fill(text)
  await at(page, 'composer').press('Enter')
  await at(reader, 'messages').getByText(text).waitFor()
}

/** What the badge's dialog shows. */
async function codeOn(page: Page): Promise<string> {
  await at(page, 'security').first().click()
  const symbols = at(page, 'symbols').first().locator('li')
  await symbols.first().waitFor()
  return [...(await symbols.allInnerTexts()), await at(page, 'digits').first().innerText()].join(' ')
}

/** The last file of a page, as it is saved. */
async function savedOn(page: Page): Promise<{ readonly name: string; readonly sha: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), at(page, 'download').last().click()])
  return { name: download.suggestedFilename(), sha: shaOf(await readFile(await download.path())) }
}

async function talk(): Promise<void> {
  for (const page of [visitor, ada])
    await page.evaluate(
      `(async () => { const contact = ${page === visitor ? VISITOR : AGENT}; contact.__media = await contact.getMedia() })()`,
    )
  await sees(visitor, stream(visitor, 'Video'), COLOURS.blue)
  await sees(ada, stream(ada, 'Video'), COLOURS.red)
  await hears(visitor, stream(visitor, 'Voice'), 880)
  await hears(ada, stream(ada, 'Voice'), 440)
}

beforeAll(async () => {
  cluster = await EmbeddedCluster.start(database.folder)
  const { host, user } = cluster.connection('postgres')
  const port = await freePort()
  service = await ServiceProcess.start([
    ...['--port', String(port), '--data', files.folder, '--max-file', '80', '--log-level', 'debug'],
    ...['--database-url', `postgres://${user}@localhost/postgres?host=${host}`],
    ...['--sdk-dir', join(root, 'dist/browser'), '--visitor-dir', join(root, 'apps/visitor/dist')],
    ...['--agent-dir', join(root, 'apps/agent/dist')],
  ])
  url = `http://localhost:${port}`
  const [first, second] = await Promise.all([
    launchChromium({ camera: COLOURS.red, toneHz: 440 }),
    launchChromium({ camera: COLOURS.blue, toneHz: 880 }),
  ])
  browsers = { visitor: first, agent: second }
  visitor = await first.newPage(undefined, await first.browser.newContext({ bypassCSP: true }))
  ada = await second.newPage(
    undefined,
    await second.browser.newContext({ bypassCSP: true, acceptDownloads: true }),
  )
  search.watch(visitor, 'the visitor')
  search.watch(ada, 'Ada')
  await visitor.goto(`${url}/visitor/?secure`)
  await ada.goto(`${url}/agent/?nick=Ada`)
})

afterAll(async () => {
  await Promise.all([browsers?.visitor.close(), browsers?.agent.close()])
  await service?.stop()
  await cluster?.stop()
  for (const folder of [database, files, scratch]) folder.remove()
})

describe('a secure contact', () => {
  const early = [secret('first'), secret('second')]

  it('ENC-440 what is written before an agent is there waits, and arrives when one has joined', async () => {
    await at(visitor, 'launcher').click()
    await at(visitor, 'nick').fill('Robin')
    await at(visitor, 'first-message').fill(early[0] ?? '')
    await at(visitor, 'start').click()
    await state(visitor, 'agreeing')
    await at(visitor, 'composer').fill(early[1] ?? '')
    await at(visitor, 'composer').press('Enter')
    await expect.poll(() => at(visitor, 'waits-for-key').count()).toBe(2)
    await at(ada, 'ready-switch').click()
    await at(ada, 'accept-contact').click()
    for (const text of early) await at(ada, 'messages').getByText(text).waitFor()
    for (const page of [visitor, ada]) await state(page, 'unverified')
    await at(visitor, 'waits-for-key').first().waitFor({ state: 'detached' })
  })

  it('ENC-441 both pages show the same code, and are verified once it is compared', async () => {
    const codes = [await codeOn(visitor), await codeOn(ada)]
    expect(codes[0]).toBe(codes[1])
    for (const page of [visitor, ada]) {
      await at(page, 'codes-match').first().click()
      await state(page, 'verified')
    }
  })

  it('ENC-442 texts, links, actions, requests and data channels pass', async () => {
    await say(visitor, secret('visitor-text'), ada)
    await say(ada, secret('agent-text'), visitor)
    const many = Array.from({ length: 24 }, (_, index) => secret(`text-${index}`))
    for (const page of [visitor, ada])
      await within(page, 'for (const text of value) await contact.sendText(text)', many)
    const [path, desc, code] = [secret('path'), secret('desc'), `Code.${randomBytes(8).toString('hex')}`]
    search.add(code)
    await within(
      ada,
      `contact.__heard = []
       contact.on('action', (event) => contact.__heard.push(event.args))
       contact.on('Ask', (data, callback) => callback(null, { answer: value.reply, data }))
       contact.on('datachannel', (channel) => channel.on('data', ({ data }) => contact.__heard.push(data)))`,
      { reply: secret('reply') },
    )
    await within(visitor, `await contact.sendLink(value.url, value.desc)`, {
      url: `https://example.org/${encodeURIComponent(path)}`,
      desc,
    })
    await at(ada, 'messages').getByText(desc).waitFor()
    const args = [secret('argument'), { [secret('member')]: secret('value') }]
    await within(visitor, `await contact.sendAction(value.code, value.args)`, { code, args })
    const [asked, data] = [secret('asked'), secret('data')]
    const answer = await within(visitor, `return contact.request('Ask', value, 10_000)`, asked)
    expect(answer).toMatchObject({ data: asked })
    await within(visitor, `await contact.sendData('pointer', value)`, data)
    await within(visitor, `await contact.sendData('served', value, undefined, 'sio')`, secret('served'))
    await expect.poll(() => within<unknown[]>(ada, 'return contact.__heard')).toContainEqual(args)
    await expect.poll(() => within<unknown[]>(ada, 'return contact.__heard')).toContain(data)
  })

  it('ENC-443 a small file and one of 64 MB arrive as they were, with their names', async () => {
    const [name, content] = [`${secret('name').replaceAll('"', '')}.txt`, secret('content')]
    search.add(name)
    await at(visitor, 'file-input').setInputFiles({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(content),
    })
    await at(ada, 'file-name').filter({ hasText: name }).waitFor()
    expect(await savedOn(ada)).toEqual({ name, sha: shaOf(Buffer.from(content)) })
    const bytes = randomBytes(64 * MB)
    const path = join(scratch.folder, 'large.bin')
    await writeFile(path, bytes)
    await at(ada, 'file-input').setInputFiles(path)
    await at(visitor, 'file-name').filter({ hasText: '.bin' }).waitFor({ timeout: 60_000 })
    expect((await savedOn(visitor)).sha).toBe(shaOf(bytes))
  }, 120_000)

  it('ENC-444 ENG-27 a call goes on, and the contact stays verified, over a page load of either side', async () => {
    await at(visitor, 'call-video').click()
    await at(ada, 'accept-offer').click()
    await at(ada, 'remote-video').first().waitFor()
    await talk()
    await at(ada, 'mute-audio').click()
    const muted = at(visitor, 'peer-muted').getByText('has muted the microphone')
    await muted.waitFor()
    await visitor.reload()
    await at(visitor, 'remote-video').first().waitFor()
    await muted.waitFor()
    await at(ada, 'mute-audio').click()
    await muted.waitFor({ state: 'detached' })
    await state(visitor, 'verified')
    await talk()
    await ada.reload()
    await at(ada, 'remote-video').first().waitFor()
    await state(ada, 'verified')
    await state(visitor, 'verified')
    await talk()
    await at(visitor, 'hangup').click()
    await at(visitor, 'remote-video').first().waitFor({ state: 'detached' })
    for (const page of [visitor, ada])
      await expect.poll(() => within(page, 'return contact.mediaState')).toBe('idle')
    const rejecting = within(
      visitor,
      `const { offer } = await new Promise((resolve) => contact.on('mediaoffer', resolve))
       await contact.rejectOffer(offer, value)`,
      secret('reason'),
    )
    const refused = await within<unknown>(
      ada,
      `const both = { tx: 'required', rx: 'required' }
       const offer = { ...(await contact.getMediaOffer()), Voice: both }
       return contact.offerMedia(offer).then(() => 'accepted', (error) => error.code)`,
    )
    expect(refused).toBe('rejected')
    await rejecting
  })

  it('ENC-445 a second tab reads and writes, and what was written offline arrives', async () => {
    const second = await visitor.context().newPage()
    search.watch(second, 'the second tab')
    await second.goto(`${url}/visitor/?secure`)
    await state(second, 'verified')
    const text = secret('second-tab')
    await at(second, 'composer').fill(text)
    await at(second, 'composer').press('Enter')
    await at(ada, 'messages').getByText(text).waitFor()
    await at(visitor, 'messages').getByText(text).waitFor()
    await say(ada, secret('to-both'), second)
    await second.close()
    await visitor.bringToFront()
    await state(visitor, 'verified')
    await visitor.context().setOffline(true)
    const offline = secret('offline')
    await at(visitor, 'composer').fill(offline)
    await at(visitor, 'composer').press('Enter')
    await visitor.context().setOffline(false)
    await at(ada, 'messages').getByText(offline).waitFor({ timeout: 30_000 })
  }, 90_000)

  it('ENC-446 after a transfer the visitor is asked, keeps the old text, and the next agent has none of it', async () => {
    bo = await browsers.agent.newPage()
    search.watch(bo, 'Bo')
    await bo.goto(`${url}/agent/?nick=Bo`)
    await at(bo, 'ready-switch').click()
    await at(ada, 'transfer-contact').click()
    await at(ada, 'transfer-to-agent').check()
    await at(ada, 'transfer-what').fill(await at(bo, 'agent-id').innerText())
    await at(ada, 'transfer-what').press('Enter')
    await at(bo, 'accept-contact').click()
    await state(visitor, 'changed')
    const held = secret('held')
    await at(visitor, 'composer').fill(held)
    await at(visitor, 'composer').press('Enter')
    await at(visitor, 'waits-for-key').waitFor()
    await at(visitor, 'accept-key').click()
    await at(bo, 'messages').getByText(held).waitFor()
    await at(visitor, 'messages')
      .getByText(early[0] ?? '')
      .waitFor()
    expect(
      await at(bo, 'messages')
        .getByText(early[0] ?? '')
        .count(),
    ).toBe(0)
    await at(visitor, 'leave').click()
    await at(visitor, 'confirm-yes').click()
    await bo.getByText('Robin has left').first().waitFor()
  })

  it('ENC-447 no frame, request, log line, row or file holds any of it', async () => {
    expect(search.count).toBeGreaterThanOrEqual(40)
    const rows = await search.lookInDatabase(cluster.connection('postgres'))
    search.lookInFolder(files.folder)
    const { stdout, stderr } = await service.stop()
    search.look('the log', Buffer.from(stdout + stderr))
    expect(rows).toBeGreaterThan(40)
    expect(search.bytes).toBeGreaterThan(64 * MB)
    expect(search.found).toEqual([])
  })
})
