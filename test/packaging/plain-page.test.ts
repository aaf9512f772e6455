import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium, serveHtml } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

const bundles = fileURLToPath(new URL('../../dist/browser', import.meta.url))
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.map': 'application/json' }

interface FileServer extends ServedPage {
  /** Path and content of what was asked for. */
  readonly served: Map<string, string>
}

/** The bundles at another origin than the page's, as the service has them. */
async function serveBundles(): Promise<FileServer> {
  const served = new Map<string, string>()
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/sdk/, '')
    readFile(`${bundles}${path}`, 'utf8').then(
      (content) => {
        served.set(path, content)
        response
          .writeHead(200, {
            'content-type': TYPES[extname(path)] ?? 'text/plain',
            'access-control-allow-origin': '*',
          })
          .end(content)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sdk`, served, close }
}

let sdk: FileServer
let chromium: ChromiumUnderTest

beforeAll(async () => {
  sdk = await serveBundles()
  chromium = await launchChromium()
})

beforeEach(() => sdk.served.clear())

afterAll(async () => {
  await chromium?.close()
  await sdk?.close()
})

/** What a page of another origin finds, and what its console says. */
async function open(html: string): Promise<{ found: unknown; said: string[] }> {
  const site = await serveHtml(
    `<!doctype html><meta charset="utf-8"><title>embedding</title><link rel="icon" href="data:,">${html}`,
  )
  const page = await chromium.newPage()
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  page.on('requestfailed', (request) => said.push(`failed: ${request.url()}`))
  await page.goto(site.url)
  await page.waitForFunction('window.found !== undefined')
  const found: unknown = await page.evaluate('window.found')
  await page.close()
  await site.close()
  return { found, said }
}

const moduleScript = (name: string): string => `<script type="module">
  import * as sdk from '${sdk.url}/${name}.js'
  window.found = Object.keys(sdk).filter((key) => sdk[key] !== undefined)
</script>`

describe('a page without any bundler', () => {
  it.each([
    ['duolog', ['createClient', 'ContactError']],
    ['agent', ['createAgent', 'ContactError']],
    ['engines', ['WebRtcEngine', 'NativeEngine']],
    ['machines', ['mediaMachine', 'membershipMachine', 'linkMachine']],
    ['testing', ['createTestContact']],
  ])('PKG-5 imports %s.js from another origin by a module script', async (name, exported) => {
    const { found, said } = await open(moduleScript(name))
    expect(found).toEqual(expect.arrayContaining(exported))
    expect(said).toEqual([])
  })

  const classic = (code: string): string =>
    `<script src="${sdk.url}/duolog.global.js"></script><script>${code}</script>`

  it('PKG-5 a classic script loads a loader, and no module before the first client is made', async () => {
    const { found, said } = await open(
      classic('window.found = [typeof Duolog.createClient, typeof Duolog.createAgent]'),
    )
    expect(found).toEqual(['function', 'function'])
    expect(said).toEqual([])
    expect([...sdk.served.keys()]).toEqual(['/duolog.global.js'])
  })

  it('PKG-5 a client and an agent of a classic script are those of the modules', async () => {
    const { found, said } = await open(
      classic(`
        const codeOf = (answer) => answer.then(String, (error) => error.code)
        const agent = Duolog.createAgent({ service: 'http://127.0.0.1:9', token: () => Promise.reject(new Error('none')) })
        const events = []
        agent.on('connection', ({ state }) => events.push(state))()
        agent.once('connection', ({ state }) => events.push('once ' + state))
        agent.off('connection')
        const client = Duolog.createClient({ service: 'http://127.0.0.1:9' })
        const closed = client.close().then(() => codeOf(client.createContact({ nick: 'Robin' })))
        const refused = codeOf(Duolog.createClient({ service: 'no address' }).resumeContact())
        const presence = codeOf(agent.decline(7))
        Promise.all([closed, refused, presence]).then(async (codes) => {
          await agent.close()
          window.found = [...codes, ...events]
        })`),
    )
    expect(found).toEqual(['left', 'invalid_argument', 'invalid_argument'])
    expect(said).toEqual([])
  })

  it('PKG-3 loads neither WebRTC nor long polling together with duolog.js', async () => {
    await open(moduleScript('duolog'))
    const loaded = [...sdk.served.values()].join('\n')
    expect(loaded).toContain('createContact')
    expect(loaded).not.toContain('createDataChannel')
    expect(loaded).not.toContain('transport=polling')
  })

  it('raises no error', () => {
    expect(chromium.pageErrors).toEqual([])
  })
})
