/** Walk (c): Next.js renders a page with the element and the hooks on a server, and it goes on in the browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { NewFolder, SDK, blockOf } from './new-folder.ts'

const service = new NewFolder()
const folder = new NewFolder()
const QUIET = { NEXT_TELEMETRY_DISABLED: '1' }
let url: string
let site: string
let chromium: ChromiumUnderTest
let agent: Page

beforeAll(async () => {
  url = await service.startService()
  folder.write('package.json', '{ "name": "shop", "private": true, "type": "module" }')
  folder.install('next', 'react', 'react-dom', SDK)
  folder.write(
    'app/layout.jsx',
    `export default function Layout({ children }) {
  return <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>
}`,
  )
  for (const [name, to] of [
    ['next-page', 'page'],
    ['next-ask', 'next-ask'],
  ]) {
    const block = blockOf('docs/guides/frameworks.md', `jsx examples/guides/${name}.jsx`)
    folder.write(`app/${to}.jsx`, block.replaceAll('http://localhost:8090', url))
  }
  folder.run('npx next build', QUIET)
  const port = await freePort()
  await folder.start(`npx next start --port ${port} --hostname 127.0.0.1`, /Ready/, QUIET)
  site = `http://127.0.0.1:${port}/`
  chromium = await launchChromium()
  agent = await chromium.newPage(`${url}/agent/?nick=Ada`)
  await agent.getByTestId('ready-switch').click()
})

afterAll(async () => {
  await chromium?.close()
  await folder.remove()
  await service.remove()
})

describe('an application with Next.js', () => {
  it('PRD-222 renders on the server what is known there, and needs no window at import', async () => {
    const html = await (await fetch(site)).text()
    expect(html).toContain('<p role="status">Messages: <!-- -->0</p>')
    expect(html).toContain('<duolog-widget')
  })

  it('PRD-222 PRD-245 goes on in the browser without a warning, and talks', async () => {
    const page = await chromium.newPage()
    const said: string[] = []
    page.on(
      'console',
      (message) => ['warning', 'error'].includes(message.type()) && said.push(message.text()),
    )
    await page.goto(site)
    await page.getByTestId('launcher').filter({ hasText: 'Ask us' }).click()
    await page.getByTestId('nick').fill('Robin')
    await page.getByTestId('first-message').fill('Hello from a server')
    await page.getByTestId('start').click()
    await agent.getByTestId('accept-contact').click()
    await agent.getByTestId('messages').getByText('Hello from a server').waitFor()
    await page.getByRole('status').filter({ hasText: 'Messages: 1' }).first().waitFor()
    expect([said, chromium.pageErrors]).toEqual([[], []])
  })
})
