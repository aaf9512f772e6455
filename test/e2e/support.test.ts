import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { type ChromiumUnderTest, type ServedPage, launchChromium, servePage } from '../support/chromium.ts'
import { colourNow, hears, hearsSilence, sees, seesFrames } from '../support/watch.ts'

const PAGE = `window.ready = navigator.mediaDevices.getUserMedia({ audio: true, video: true }).then((stream) => {
  window.stream = stream
  document.querySelector('video').srcObject = stream
}, (error) => { window.failed = error.name })`

describe('support: Chromium with a camera and a microphone of our own', () => {
  let chromium: ChromiumUnderTest
  let served: ServedPage
  beforeAll(async () => {
    served = await servePage(PAGE, '<video muted></video>')
    chromium = await launchChromium({ camera: COLOURS.green, toneHz: 700 })
  })
  afterAll(async () => {
    await chromium.close()
    await served.close()
  })

  it('tells colours and tones apart', async () => {
    const page = await chromium.newPage(served.url)
    await page.evaluate('window.ready')
    await sees(page, 'video', COLOURS.green)
    await seesFrames(page, { js: 'window.stream' })
    await hears(page, 'video', 700)
    await expect(sees(page, 'video', COLOURS.red, 300)).rejects.toThrow('not within 300 ms')
    await expect(hears(page, 'video', 1500, 300)).rejects.toThrow('not within 300 ms')
    await page.evaluate('window.stream.getAudioTracks()[0].enabled = false')
    await hearsSilence(page, { js: 'window.stream' })
    expect(await colourNow(page, 'video')).toHaveLength(3)
    expect(chromium.pageErrors).toEqual([])
  })

  it('denies, and takes devices away', async () => {
    const [denying, bare] = await Promise.all([
      launchChromium({ permissions: 'deny' }),
      launchChromium({ noCamera: true }),
    ])
    const names = await Promise.all(
      [denying, bare].map(async (browser) => {
        const page = await browser.newPage(served.url)
        await page.evaluate('window.ready')
        return page.evaluate('window.failed')
      }),
    )
    expect(names).toEqual(['NotAllowedError', 'NotFoundError'])
    await Promise.all([denying.close(), bare.close()])
  })
})
