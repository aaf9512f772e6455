/** Walk (a): a static page with the tag of the guide, beside a service from its tarball. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { launchChromium, serveHtml } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { endContact } from '../support/contact-by-hand.ts'
import { shows } from '../support/remote-picture.ts'
import { NewFolder, blockOf } from './new-folder.ts'

const folder = new NewFolder()
let site: ServedPage
let browsers: { readonly visitor: ChromiumUnderTest; readonly agent: ChromiumUnderTest }
let visitor: Page
let agent: Page

const at = (page: Page, id: string): Locator => page.getByTestId(id)

beforeAll(async () => {
  const url = await folder.startService()
  site = await serveHtml(
    blockOf('docs/guides/embed.md', 'html examples/plain/index.html').replaceAll(
      'http://localhost:8090',
      url,
    ),
  )
  const [first, second] = await Promise.all([
    launchChromium({ camera: COLOURS.red }),
    launchChromium({ camera: COLOURS.blue }),
  ])
  browsers = { visitor: first, agent: second }
  agent = await second.newPage(`${url}/agent/?nick=Ada`)
  visitor = await first.newPage(site.url)
})

afterAll(async () => {
  await Promise.all([browsers?.visitor.close(), browsers?.agent.close()])
  await site?.close()
  await folder.remove()
})

describe('a static page with one tag', () => {
  it('PRD-220 shows the button, and the visitor asks, by mouse and keyboard', async () => {
    await at(agent, 'ready-switch').click()
    await visitor.getByRole('button', { name: 'Ask about delivery' }).click()
    await at(visitor, 'nick').fill('Robin')
    await at(visitor, 'first-message').press('End')
    await visitor.keyboard.type('is it free?')
    await at(visitor, 'start').click()
    await at(agent, 'accept-contact').click()
    await at(agent, 'messages').getByText('I have a question about delivery: is it free?').waitFor()
    await at(agent, 'composer').fill('From 50 euros.')
    await agent.keyboard.press('Enter')
    await at(visitor, 'messages').getByText('From 50 euros.').waitFor()
  })

  it('PRD-220 calls, and the call and what was said come back when the page is loaded again', async () => {
    await at(visitor, 'call-video').click()
    await at(agent, 'accept-offer').click()
    await Promise.all([shows(visitor, COLOURS.blue), shows(agent, COLOURS.red)])
    await visitor.reload()
    await at(visitor, 'messages').getByText('From 50 euros.').waitFor()
    await Promise.all([shows(visitor, COLOURS.blue), shows(agent, COLOURS.red)])
    await at(visitor, 'hangup').click()
    await at(agent, 'call').waitFor({ state: 'detached' })
    await endContact(visitor, agent)
    expect([browsers.visitor.pageErrors, browsers.agent.pageErrors]).toEqual([[], []])
  })
})
