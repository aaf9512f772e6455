import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

const ALL = {
  AudioCapture: true,
  AudioConstraints: true,
  VideoCapture: true,
  VideoQuality: true,
  ScreenCapture: true,
  BrowserFamilyA: true,
  BrowserFamilyB: false,
}
const PHONE =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'

describe('what a Chromium tells of itself', () => {
  let served: ServedPage
  let equipped: ChromiumUnderTest
  let bare: ChromiumUnderTest

  beforeAll(async () => {
    served = await servePage(await bundleForPage(fileURLToPath(new URL('./detect-page.ts', import.meta.url))))
    equipped = await launchChromium()
    bare = await launchChromium({ noCamera: true })
  })
  afterAll(async () => {
    await equipped.close()
    await bare.close()
    await served.close()
  })

  const detected = async (chromium: ChromiumUnderTest, userAgent?: string): Promise<unknown> => {
    const context = await chromium.browser.newContext(
      userAgent === undefined ? {} : { userAgent, isMobile: true, hasTouch: true },
    )
    const page = await chromium.newPage(served.url, context)
    return page.evaluate('window.detected')
  }

  it('CAP-1 CAP-8 a desktop with camera and microphone can send everything, and is of family A', async () => {
    expect(await detected(equipped)).toEqual({
      mobile: false,
      webRtc: ALL,
      availability: { Sharing: true, Chat: true, Voice: true, Video: true, Screen: true },
    })
  })

  it('CAP-1 without a camera Video is not available, though it could be captured', async () => {
    expect(await detected(bare)).toMatchObject({ webRtc: ALL, availability: { Video: false, Screen: true } })
  })

  it('CAP-1 a phone is mobile', async () => {
    expect(await detected(equipped, PHONE)).toMatchObject({ mobile: true, webRtc: { BrowserFamilyA: true } })
  })
})
