/** A real Chromium with the camera and microphone that a test gives it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Colour, writeCamera, writeTone } from './camera.ts'

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=WebRtcHideLocalIpsWithMdns',
  '--autoplay-policy=no-user-gesture-required',
  '--use-fake-device-for-media-stream',
  '--allow-loopback-in-peer-connection',
]

export interface ChromiumOptions {
  /** What the camera shows (default: Chromium's own test picture). */
  readonly camera?: Colour | null
  /** The tone that the microphone hears, hertz (default: Chromium's own beep). */
  readonly toneHz?: number
  /**
   * The user's answer to every permission question (default: grants); `ask`: what the test grants, and can
   * take back.
   */
  readonly permissions?: 'grant' | 'deny' | 'ask'
  /** No camera. Chromium has a microphone all the same. */
  readonly noCamera?: boolean
  readonly args?: readonly string[]
}

export interface ChromiumUnderTest {
  readonly browser: Browser
  /**
   * A page, by default of its own context: a visitor never seen before. Two pages of one context are two
   * tabs.
   */
  newPage(url?: string, context?: BrowserContext): Promise<Page>
  /** Uncaught errors and unhandled rejections of all pages so far. */
  readonly pageErrors: readonly string[]
  close(): Promise<void>
}

/** Path of the browser: `DUOLOG_CHROMIUM`, or Debian's. */
export const chromiumPath = (): string => process.env['DUOLOG_CHROMIUM'] ?? '/usr/bin/chromium'

async function mediaArgs(folder: string, options: ChromiumOptions): Promise<string[]> {
  const args =
    options.permissions === 'ask'
      ? []
      : [
          options.permissions === 'deny'
            ? '--use-fake-ui-for-media-stream=deny'
            : '--use-fake-ui-for-media-stream',
        ]
  if (options.noCamera) args.push('--use-fake-device-for-media-stream=device-count=0')
  if (options.camera) {
    await writeCamera(join(folder, 'camera.y4m'), options.camera)
    args.push(`--use-file-for-fake-video-capture=${join(folder, 'camera.y4m')}`)
  }
  if (options.toneHz !== undefined) {
    await writeTone(join(folder, 'tone.wav'), options.toneHz)
    args.push(`--use-file-for-fake-audio-capture=${join(folder, 'tone.wav')}`)
  }
  return args
}

/** Starts a browser; close it in `afterAll`. */
export async function launchChromium(options: ChromiumOptions = {}): Promise<ChromiumUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'duolog-chromium-'))
  const args = [
    ...ARGS.filter((arg) => !(options.noCamera && arg === '--use-fake-device-for-media-stream')),
    ...(await mediaArgs(folder, options)),
    ...(options.args ?? []),
  ]
  const browser = await chromium.launch({ executablePath: chromiumPath(), args })
  const pageErrors: string[] = []
  const newPage = async (url?: string, context?: BrowserContext): Promise<Page> => {
    const page = await (context ?? (await browser.newContext())).newPage()
    page.on('pageerror', (error) => pageErrors.push(String(error)))
    if (url !== undefined) await page.goto(url)
    return page
  }
  const close = async (): Promise<void> => {
    await browser.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { browser, newPage, pageErrors, close }
}

/** Browser code of one entry file (TypeScript), as one classic script. */
export async function bundleForPage(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.text
  if (code === undefined) throw new Error(`no code for ${entry}`)
  return code
}

export interface ServedPage {
  readonly url: string
  close(): Promise<void>
}

/** Serves a page that runs `script`, from loopback: a secure context. */
export const servePage = (script: string, body = ''): Promise<ServedPage> =>
  serveHtml(
    `<!doctype html><meta charset="utf-8"><title>test</title><link rel="icon" href="data:,"><body>${body}<script src="/page.js"></script>`,
    script,
  )

/** Serves a whole page, and `script` as `/page.js`. */
export async function serveHtml(html: string, script = ''): Promise<ServedPage> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response
      .writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      .end(isScript ? script : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}
