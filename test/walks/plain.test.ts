/** Walk (d): the plain chat of the guide, and a classic script, on a page with a strict policy. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { NewFolder, blockOf } from './new-folder.ts'

const folder = new NewFolder()
const pages = new Map<string, string>()
let service: string
let chromium: ChromiumUnderTest
let agent: Page
const server = createServer(({ url = '/' }, response) => {
  const policy = `default-src 'none'; img-src data:; script-src 'nonce-abc123'; connect-src ${service} ${service.replace('http', 'ws')}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
  response
    .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
    .end(pages.get(url)?.replaceAll('<script', '<script nonce="abc123"'))
})

beforeAll(async () => {
  service = await folder.startService()
  const written = (example: string): string =>
    blockOf('docs/guides/frameworks.md', `html ${example}`)
      .replaceAll('http://localhost:8090', service)
      .replace('<head>', '<head><link rel="icon" href="data:,">')
  pages.set('/module', written('examples/guides/plain-chat.html'))
  pages.set('/classic', written('examples/guides/classic-chat.html'))
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  chromium = await launchChromium()
  agent = await chromium.newPage(`${service}/agent/?nick=Ada`)
  await agent.getByTestId('ready-switch').click()
})

afterAll(async () => {
  await chromium?.close()
  server.closeAllConnections()
  server.close()
  await folder.remove()
})

describe('a page without a bundler, under a strict policy', () => {
  it.each(['module', 'classic'])(
    'PRD-223 talks by a %s script, and the policy refuses nothing',
    async (kind) => {
      const page = await chromium.newPage()
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      await page.addInitScript(`window.refused = []
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => refused.push(violatedDirective + ' ' + blockedURI))`)
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${kind}`)
      await page.getByLabel('Message').fill(`Hello from a ${kind} script`)
      await page.keyboard.press('Enter')
      await agent.getByTestId('accept-contact').click()
      await agent.getByTestId('messages').getByText(`Hello from a ${kind} script`).waitFor()
      await agent.getByTestId('composer').last().fill('Hello Robin')
      await agent.keyboard.press('Enter')
      await page.getByText('Ada: Hello Robin').waitFor()
      expect([await page.evaluate('refused'), said]).toEqual([[], []])
      await agent.getByTestId('end-contact').click()
      await agent.getByTestId('confirm-yes').click()
      await agent.getByTestId('ending').waitFor()
      await page.close()
      expect(chromium.pageErrors).toEqual([])
    },
  )
})
