/** Firefox as Debian has it, by WebDriver BiDi, with its own fake camera and microphone. */
import { fileURLToPath } from 'node:url'
import { firefox } from 'playwright-core'
import type { Page } from 'playwright-core'

/** What its microphone hears. Its camera shows colours that change. */
export const TONE_HZ = 660

const PREFERENCES = {
  'media.navigator.streams.fake': true,
  'media.navigator.audio.fake_frequency': TONE_HZ,
  'media.navigator.permission.disabled': true,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'media.autoplay.default': 0,
}

/** Energy of all sound that a page has received and decoded. Without a sound card its Web Audio stands still. */
export const heardEnergy = (page: Page): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const reports = await Promise.all(peers.map((peer) => peer.getStats()))
    const streams = reports.flatMap((report) => [...report.values()])
    return streams.reduce((sum, { type, kind, totalAudioEnergy = 0 }) => sum + (type === 'inbound-rtp' && kind === 'audio' ? totalAudioEnergy : 0), 0)
  })()`)

const NOTE_PEERS = `
  window.peers = []
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...given) { super(...given); peers.push(this) }
  }
`

export interface FirefoxUnderTest {
  /** A page of a visitor or agent never seen before. */
  newPage(url: string): Promise<Page>
  /** Uncaught errors and unhandled rejections of all pages so far. */
  readonly pageErrors: readonly string[]
  close(): Promise<void>
}

/** Starts a browser; close it in `afterAll`. */
export async function launchFirefox(): Promise<FirefoxUnderTest> {
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: fileURLToPath(new URL('./firefox-for-playwright.mjs', import.meta.url)),
    firefoxUserPrefs: PREFERENCES,
  })
  const pageErrors: string[] = []
  const newPage = async (url: string): Promise<Page> => {
    const page = await (await browser.newContext()).newPage()
    await page.addInitScript(NOTE_PEERS)
    page.on('pageerror', (error) => pageErrors.push(String(error)))
    await page.goto(url)
    return page
  }
  return { newPage, pageErrors, close: () => browser.close() }
}
