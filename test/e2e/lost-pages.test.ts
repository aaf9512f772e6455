/**
 * A page that is gone without a word: its process is killed, or nothing of it arrives any more. What the
 * people at both ends see of it.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { breakableProxy } from '../support/breakable-proxy.ts'
import type { BreakableProxy } from '../support/breakable-proxy.ts'
import { COLOURS } from '../support/camera.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import { shows, showsNow } from '../support/remote-picture.ts'

type Side = 'visitor' | 'agent'

/** Its page says so at once; where its process is killed, the browser closes its connection for it. */
const GONE_MS = 3_000
/** The longest that the service may hear nothing of a page before it counts as gone. */
const DEAD_MS = 15_000
const OTHER = { visitor: 'agent', agent: 'visitor' } as const
const SENDS = { visitor: COLOURS.red, agent: COLOURS.blue }
const NICK = { visitor: 'Robin', agent: 'Ada' }

let proxy: BreakableProxy
let browsers: Readonly<Record<Side, ChromiumUnderTest>>
let pages: Readonly<Record<Side, Page>>
/** What the service has told the agent's page over its connection: Engine.IO packets. */
let toAgent: string[]

const at = (page: Page, id: string): Locator => page.getByTestId(id)
const status = (page: Page, text: string): Locator =>
  at(page, 'conversation-status').filter({ hasText: text })

/** A video call between two browsers; the visitor's way to the service can be broken. */
beforeEach(async () => {
  const product = await startProduct()
  proxy = await breakableProxy(product.url)
  const [first, second] = await Promise.all([
    launchChromium({ camera: SENDS.visitor }),
    launchChromium({ camera: SENDS.agent }),
  ])
  browsers = { visitor: first, agent: second }
  const [visitor, agent] = await Promise.all([first.newPage(`${proxy.url}/visitor/`), second.newPage()])
  toAgent = []
  agent.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => toAgent.push(String(payload))),
  )
  await agent.goto(`${product.url}/agent/?nick=Ada`)
  pages = { visitor, agent }
  await at(agent, 'ready-switch').click()
  await at(visitor, 'launcher').click()
  await at(visitor, 'nick').fill(NICK.visitor)
  await at(visitor, 'start').click()
  await at(agent, 'accept-contact').click()
  await at(visitor, 'call-video').click()
  await at(agent, 'accept-offer').click()
  await shows(visitor, SENDS.agent)
  await shows(agent, SENDS.visitor)
  return async () => {
    await Promise.all([first.close(), second.close()])
    await proxy.close()
    await product.stop()
  }
})

/**
 * Kills the processes of a browser's pages, as a system does that has no memory left. Of the tab a session
 * remains: Playwright gives up a page that has crashed.
 */
async function killPage(side: Side): Promise<CDPSession> {
  const [{ browser }, page] = [browsers[side], pages[side]]
  const tab = await page.context().newCDPSession(page)
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
  const crashed = page.waitForEvent('crash')
  for (const { id, type } of processInfo) if (type === 'renderer') process.kill(id, 'SIGKILL')
  await crashed
  return tab
}

describe('a page whose process is killed during a call', () => {
  it.each(['visitor', 'agent'] as const)(
    'SND-310 MED-29 that of the %s: the other side is told within 3 s, and the call is back when the page is loaded again',
    async (side) => {
      const other = pages[OTHER[side]]
      const tab = await killPage(side)
      await status(other, `${NICK[side]} has lost the connection`).waitFor({ timeout: GONE_MS })
      await tab.send('Page.reload')
      await status(other, 'Connected').waitFor()
      await expect.poll(() => showsNow(tab, SENDS[OTHER[side]])).toBe(true)
      await shows(other, SENDS[side])
      expect(browsers[OTHER[side]].pageErrors).toEqual([])
    },
  )
})

/** The limits of the service, which are the same for every page (https://socket.io/docs/v4/engine-io-protocol). */
const handshake = (): { readonly pingInterval: number; readonly pingTimeout: number } =>
  JSON.parse(toAgent.find((packet) => packet.startsWith('0{'))?.slice(1) ?? 'null')
/**
 * Pings of the service to the agent, one in each `pingInterval` of the service's own time: a machine that is slow
 * delays them as it delays the end of the visitor's connection.
 */
const pings = (): number => toAgent.filter((packet) => packet === '2').length

describe('a connection on which nothing arrives any more', () => {
  it('SND-310 the other side is told within 15 s; the call goes on meanwhile, and so does the contact when the network is back', async () => {
    const { visitor, agent } = pages
    const { pingInterval, pingTimeout } = handshake()
    expect(pingInterval + pingTimeout).toBeLessThanOrEqual(DEAD_MS)
    const before = pings()
    proxy.block(true)
    await status(agent, 'Robin has lost the connection').waitFor()
    expect((pings() - before) * pingInterval).toBeLessThanOrEqual(DEAD_MS)
    await status(visitor, 'Connecting…').waitFor()
    await shows(agent, SENDS.visitor)
    await shows(visitor, SENDS.agent)
    proxy.block(false)
    await status(agent, 'Connected').waitFor()
    await at(agent, 'composer').fill('Are you there?')
    await agent.keyboard.press('Enter')
    await at(visitor, 'messages').getByText('Are you there?').first().waitFor()
    await shows(agent, SENDS.visitor)
    await shows(visitor, SENDS.agent)
    expect([...browsers.visitor.pageErrors, ...browsers.agent.pageErrors]).toEqual([])
  })
})
