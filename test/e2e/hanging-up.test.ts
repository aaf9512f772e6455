/** The end of a call as its users see and hear it: two pages, the real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { NOTE_TRACKS, liveTracks } from '../support/used-devices.ts'

const at = (page: Page | Locator, id: string): Locator => page.getByTestId(id)
/** How loud the other side is, at its loudest within 2 s. */
const LOUDNESS = `(async () => {
  const find = (node) => {
    if (node instanceof HTMLAudioElement) return node
    for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) {
      const found = find(child)
      if (found) return found
    }
    return null
  }
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(find(document.body).srcObject).connect(analyser)
  const samples = new Float32Array(2048)
  let loudest = 0
  for (let i = 0; i < 40; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    analyser.getFloatTimeDomainData(samples)
    for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample))
  }
  await context.close()
  return loudest
})()`

let product: StartedProduct
let chromium: ChromiumUnderTest

interface Talk {
  readonly agent: Page
  readonly visitor: Page
  /** The visitor's page loses the service. */
  readonly cut: () => Promise<void>
  readonly mend: () => void
}

async function talk(name: string): Promise<Talk> {
  const agent = await chromium.newPage(`${product.url}/agent/?nick=A${name}`)
  await at(agent, 'ready-switch').click()
  const visitor = await chromium.newPage('about:blank')
  const net = { isDown: false, close: () => {} }
  await visitor.routeWebSocket(/\/v1\/link/, (socket) => {
    if (net.isDown) return void socket.close()
    const server = socket.connectToServer()
    net.close = () => {
      void socket.close()
      void server.close()
    }
  })
  await visitor.route(/\/v1\//, (route) => (net.isDown ? route.abort() : route.continue()))
  await visitor.addInitScript(NOTE_TRACKS)
  await visitor.goto(`${product.url}/visitor/`)
  await at(visitor, 'launcher').click()
  await at(visitor, 'nick').fill(name)
  await at(visitor, 'start').click()
  await at(at(agent, 'incoming').filter({ hasText: name }), 'accept-contact').click()
  await agent.locator('duolog-peer').getByText(name, { exact: true }).waitFor()
  await at(agent, 'call-voice').click()
  await at(visitor, 'accept-offer').click()
  await at(visitor, 'hangup').waitFor()
  await at(agent, 'hangup').waitFor()
  const cut = async (): Promise<void> => {
    net.isDown = true
    net.close()
    await visitor.locator('[data-testid="banner"][data-connection="offline"]').waitFor()
  }
  return { agent, visitor, cut, mend: () => void (net.isDown = false) }
}

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
})

afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('the end of a call', () => {
  it('SND-312 while the service is out of reach nobody is heard any more, and the call ends when it is back', async () => {
    const { agent, visitor, cut, mend } = await talk('Off')
    await expect.poll(() => agent.evaluate(LOUDNESS)).toBeGreaterThan(0.01)
    await cut()
    await at(visitor, 'hangup').click()
    await at(visitor, 'call').getByText('Ending the call…').waitFor()
    expect([await liveTracks(visitor), await at(visitor, 'problem').count()]).toEqual([0, 0])
    await expect.poll(() => agent.evaluate(LOUDNESS), { timeout: 15_000 }).toBeLessThan(0.001)
    mend()
    await at(agent, 'hangup').waitFor({ state: 'detached', timeout: 30_000 })
    await at(visitor, 'call').waitFor({ state: 'detached' })
    await agent.close()
    await visitor.close()
  })

  it('SND-312 a call that its user ended while an offer stood and the service was away does not come back with the page', async () => {
    const { agent, visitor, cut, mend } = await talk('Load')
    await at(agent, 'call-video').click()
    await at(visitor, 'offer-card').waitFor()
    await cut()
    await at(visitor, 'hangup').click()
    await at(visitor, 'call').getByText('Ending the call…').waitFor()
    await visitor.reload()
    mend()
    const ended = `(() => {
      const session = document.querySelector('duolog-widget')?.model?.session
      return session?.contact.mediaState === 'idle' && session.state.stopping === null
    })()`
    await expect.poll(() => visitor.evaluate(ended), { timeout: 30_000 }).toBe(true)
    await at(visitor, 'composer').fill('It is over.')
    await visitor.keyboard.press('Enter')
    await at(agent, 'messages').getByText('It is over.').waitFor()
    await at(agent, 'hangup').waitFor({ state: 'detached' })
    expect([await at(visitor, 'call').count(), await liveTracks(visitor)]).toEqual([0, 0])
    await agent.close()
    await visitor.close()
  })

  it('SND-312 who has asked for video can mute and hang up meanwhile, and the other side can hang up', async () => {
    const { agent, visitor } = await talk('Ask')
    await at(agent, 'call-video').click()
    await at(visitor, 'offer-card').waitFor()
    expect(await at(agent, 'call-video').count()).toBe(0)
    await at(agent, 'mute-audio').click()
    await expect.poll(() => at(agent, 'mute-audio').getAttribute('aria-pressed')).toBe('true')
    await at(agent, 'hangup').waitFor()
    await at(visitor, 'hangup').click()
    await at(visitor, 'call').waitFor({ state: 'detached' })
    await at(agent, 'call').waitFor({ state: 'detached' })
    expect([await at(visitor, 'problem').count(), await liveTracks(visitor)]).toEqual([0, 0])
    await agent.close()
    await visitor.close()
  })

  it('SND-312 ENG-11 a microphone that is gone is said, and can be turned on again', async () => {
    const { agent, visitor } = await talk('Mic')
    await visitor.evaluate(`{
      const list = navigator.mediaDevices.enumerateDevices.bind(navigator.mediaDevices)
      navigator.mediaDevices.enumerateDevices = async () => []
      window.plugIn = () => (navigator.mediaDevices.enumerateDevices = list)
      for (const track of window.tracks) {
        track.stop()
        track.dispatchEvent(new Event('ended'))
      }
    }`)
    await visitor.getByText('Your microphone is off').waitFor()
    await visitor.evaluate('void window.plugIn()')
    await visitor.getByRole('button', { name: 'Turn microphone on' }).click()
    await at(agent, 'accept-offer').click()
    await at(visitor, 'mute-audio').waitFor()
    expect(await liveTracks(visitor)).toBe(1)
    await agent.close()
    await visitor.close()
  })
})
