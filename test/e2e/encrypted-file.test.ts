/**
 * A file of 64 MB goes out of Chromium encrypted, over a connection that is cut, and comes back: the code that
 * encrypts, uploads, downloads and opens, over a server that keeps what it gets.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { residentMb, watchMemory } from '../support/browser-memory.ts'
import { bundleForPage, launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'

const MB = 1024 * 1024
const SIZE = Number(process.env['DUOLOG_ENCRYPTED_MB'] ?? 64) * MB
const STORED = 56 + SIZE + 16 * (SIZE / 16_384 + 1)
/** What the page's heap may retain, buffers included, of a file of any size. */
const HEAP_MB = 32
const HTML = '<!doctype html><meta charset="utf-8"><input type="file"><script src="/page.js"></script>'

let folder: string
let server: Server
let url: string
let chromium: ChromiumUnderTest
let page: Page
let cdp: CDPSession
let sha256: string
let key: string
/** Offsets at which requests are cut, once each. */
const cuts = new Set([5 * MB + 12_345, 17 * MB + 1])
/** What the server does to the byte there; -1: nothing. */
let flipped = -1

const stored = (): string => join(folder, 'stored')
const sizeOf = (): Promise<number> =>
  stat(stored()).then(
    ({ size }) => size,
    () => 0,
  )

/** Takes a part of an upload, and cuts it where it is to be cut. */
async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let offset = await sizeOf()
  if (request.headers['upload-offset'] !== String(offset)) return void response.writeHead(409).end()
  const file = createWriteStream(stored(), { flags: 'a' })
  const end = (): Promise<void> =>
    new Promise<void>((resolve) => {
      file.end(() => resolve())
    })
  for await (const bytes of request as AsyncIterable<Buffer>) {
    const cut = [...cuts].find((at) => at >= offset && at < offset + bytes.length)
    const taken = cut === undefined ? bytes : bytes.subarray(0, cut - offset)
    if (!file.write(taken)) await once(file, 'drain')
    offset += taken.length
    if (cut === undefined) continue
    cuts.delete(cut)
    await end()
    return void request.socket.destroy()
  }
  await end()
  response.writeHead(204, { 'upload-offset': offset }).end()
}

async function give(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-length': await sizeOf() })
  let at = 0
  for await (const bytes of createReadStream(stored(), {
    highWaterMark: 256 * 1024,
  }) as AsyncIterable<Buffer>) {
    if (flipped >= at && flipped < at + bytes.length) bytes[flipped - at] = (bytes[flipped - at] ?? 0) ^ 1
    at += bytes.length
    if (!response.write(bytes)) await once(response, 'drain')
  }
  response.end()
}

async function answer(request: IncomingMessage, response: ServerResponse, script: string): Promise<void> {
  if (request.method === 'PATCH') return take(request, response)
  if (request.method === 'HEAD')
    return void response.writeHead(200, { 'upload-offset': await sizeOf(), 'upload-length': STORED }).end()
  if (request.url === '/stored') return give(response)
  const isScript = request.url === '/page.js'
  response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
  response.end(isScript ? script : HTML)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duolog-encrypted-'))
  const hash = createHash('sha256')
  const file = await open(join(folder, 'large.bin'), 'w')
  for (let count = 0; count < SIZE / MB; count += 1) {
    const bytes = randomBytes(MB)
    hash.update(bytes)
    await file.write(bytes)
  }
  await file.close()
  sha256 = hash.digest('hex')
  const script = await bundleForPage(fileURLToPath(new URL('./encrypted-file-page.ts', import.meta.url)))
  server = createServer((request, response) => {
    answer(request, response, script).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  chromium = await launchChromium({ args: ['--enable-precise-memory-info', '--js-flags=--expose-gc'] })
  page = await chromium.newPage(url)
  cdp = await chromium.browser.newBrowserCDPSession()
  await page.locator('input').setInputFiles(join(folder, 'large.bin'))
})
afterAll(async () => {
  await chromium?.close()
  server?.closeAllConnections()
  server?.close()
  await rm(folder, { recursive: true, force: true })
})

it('ENC-315 64 MB go out encrypted over two cuts, and the heap has a few parts at most', async () => {
  const before = await residentMb(cdp)
  const memory = watchMemory(cdp)
  const started = performance.now()
  const sent = await page.evaluate(() => window.encrypted.send())
  const [seconds, most] = [(performance.now() - started) / 1000, await memory.stop()]
  const heapMb = (await page.evaluate(() => window.encrypted.heap())) / MB
  console.log(
    `${SIZE / MB} MB: encrypted and up in ${seconds.toFixed(1)} s; memory of the browser ${before.toFixed(0)}, at most ${most.toFixed(0)} MB; heap at most ${heapMb.toFixed(0)} MB`,
  )
  key = sent.key
  expect([sent.attempts > 1, sent.size, await sizeOf(), cuts.size]).toEqual([true, STORED, STORED, 0])
  const parts = [await readFile(stored()), await readFile(join(folder, 'large.bin'))]
  expect(parts[0]?.includes(parts[1]?.subarray(MB, MB + 64) ?? '')).toBe(false)
  expect(heapMb).toBeLessThan(HEAP_MB)
}, 120_000)

it('ENC-316 64 MB come back as they were, and the heap has a few parts at most', async () => {
  const before = await residentMb(cdp)
  const memory = watchMemory(cdp)
  const started = performance.now()
  expect(await page.evaluate((its) => window.encrypted.open(its), key)).toBe(SIZE)
  const [seconds, most] = [(performance.now() - started) / 1000, await memory.stop()]
  const heapMb = (await page.evaluate(() => window.encrypted.heap())) / MB
  console.log(
    `${SIZE / MB} MB: down and opened in ${seconds.toFixed(1)} s; memory of the browser ${before.toFixed(0)}, at most ${most.toFixed(0)} MB; heap at most ${heapMb.toFixed(0)} MB`,
  )
  expect(heapMb).toBeLessThan(HEAP_MB)
  expect(await page.evaluate(() => window.encrypted.hash())).toBe(sha256)
}, 120_000)

it('ENC-330 a browser tells that the bytes are not those that were stored, and not that the line was cut', async () => {
  for (flipped of [30, 56 + 100, 40 * MB, STORED - 1])
    expect(await page.evaluate((its) => window.encrypted.open(its), key)).toBe('tampered')
  expect(chromium.pageErrors).toEqual([])
}, 120_000)
