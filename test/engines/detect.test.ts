import { describe, expect, it, vi } from 'vitest'
import { pageEnvironment } from '../../sdk/client/environment.ts'
import { settled } from '../../testing/index.ts'
import { detectAvailability, detectMobile, detectWebRtc } from '../../engines/index.ts'

const NONE = {
  AudioCapture: false,
  AudioConstraints: false,
  VideoCapture: false,
  VideoQuality: false,
  ScreenCapture: false,
  BrowserFamilyA: false,
  BrowserFamilyB: false,
}
const mediaDevices = {
  getUserMedia: () => {},
  getDisplayMedia: () => {},
  getSupportedConstraints: () => ({ echoCancellation: true, width: true }),
}

describe('import', () => {
  it('LIFE-23 importing the engines and making them looks at nothing of a browser', async () => {
    const looked: string[] = []
    const names = ['document', 'window', 'RTCPeerConnection', 'MediaStream', 'localStorage'].filter(
      (name) => !(name in globalThis),
    )
    for (const name of names)
      Object.defineProperty(globalThis, name, { configurable: true, get: () => void looked.push(name) })
    vi.resetModules()
    try {
      const engines = await import('../../engines/index.ts')
      expect([new engines.WebRtcEngine().id, new engines.NativeEngine().id]).toEqual(['WebRTC', 'Native'])
    } finally {
      for (const name of names) Reflect.deleteProperty(globalThis, name)
    }
    expect([names.length >= 4, looked]).toEqual([true, []])
  })
})

describe('detectWebRtc and detectMobile', () => {
  it('CAP-1 nothing is true in Node, and nothing throws', () => {
    expect([detectWebRtc(), detectMobile(), detectWebRtc({}), detectMobile({})]).toEqual([
      NONE,
      false,
      NONE,
      false,
    ])
  })

  it('CAP-1 CAP-8 a desktop browser of each family', () => {
    const chromium = {
      RTCPeerConnection: () => {},
      navigator: {
        userAgent:
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
        mediaDevices,
      },
    }
    const gecko = {
      RTCPeerConnection: () => {},
      navigator: {
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        mediaDevices,
      },
    }
    const all = {
      AudioCapture: true,
      AudioConstraints: true,
      VideoCapture: true,
      VideoQuality: true,
      ScreenCapture: true,
    }
    expect([detectWebRtc(chromium), detectWebRtc(gecko)]).toEqual([
      { ...all, BrowserFamilyA: true, BrowserFamilyB: false },
      { ...all, BrowserFamilyA: false, BrowserFamilyB: true },
    ])
    expect([detectMobile(chromium), detectMobile(gecko)]).toEqual([false, false])
  })

  it('CAP-1 brands win over the user agent, and an insecure page has no devices', () => {
    const browser = {
      RTCPeerConnection: () => {},
      navigator: { userAgent: 'anything', userAgentData: { mobile: true, brands: [{ brand: 'Chromium' }] } },
    }
    expect([detectWebRtc(browser), detectMobile(browser)]).toEqual([{ ...NONE, BrowserFamilyA: true }, true])
  })

  it('CAP-1 phones and tablets are mobile', () => {
    const agents = [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1',
      'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36',
    ]
    expect(agents.map((userAgent) => detectMobile({ navigator: { userAgent } }))).toEqual([true, true])
    expect(
      detectMobile({
        navigator: {
          userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15',
          maxTouchPoints: 5,
        },
      }),
    ).toBe(true)
  })

  it('CAP-1 a medium is available where there is a device for it', async () => {
    const browser = (kinds: readonly string[]) => ({
      RTCPeerConnection: () => {},
      navigator: {
        mediaDevices: {
          ...mediaDevices,
          enumerateDevices: () => Promise.resolve(kinds.map((kind) => ({ kind }))),
        },
      },
    })
    const always = { Sharing: true, Chat: true }
    expect(await detectAvailability(browser(['audioinput', 'audiooutput', 'videoinput']))).toEqual({
      ...always,
      Voice: true,
      Video: true,
      Screen: true,
    })
    expect(await detectAvailability(browser(['audiooutput']))).toEqual({
      ...always,
      Voice: false,
      Video: false,
      Screen: true,
    })
    expect(await detectAvailability()).toEqual({ ...always, Voice: false, Video: false, Screen: false })
  })

  it('CAP-1 a browser that does not say which devices there are is believed to have them', async () => {
    const refusing = { ...mediaDevices, enumerateDevices: () => Promise.reject(new Error('not allowed')) }
    expect(
      await detectAvailability({ RTCPeerConnection: () => {}, navigator: { mediaDevices: refusing } }),
    ).toMatchObject({ Voice: true, Video: true })
  })
})

describe('availability in the capabilities of a page', () => {
  it('SND-5 the capabilities of the page wait for no list of devices, and are corrected when it comes', async () => {
    let give: (devices: readonly { readonly kind: string }[]) => void = () => {}
    const mediaDevices = {
      getUserMedia: () => {},
      enumerateDevices: () => new Promise((resolve) => (give = resolve)),
      addEventListener: () => {},
      removeEventListener: () => {},
    }
    vi.stubGlobal('RTCPeerConnection', () => {})
    vi.stubGlobal('navigator', {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      mediaDevices,
    })
    const environment = pageEnvironment({})
    expect((await environment.capabilities()).MediaAvailability).toMatchObject({ Voice: true, Video: true })
    const told: unknown[] = []
    const stop = environment.onDevices((availability) => told.push(availability))
    give([{ kind: 'audioinput' }])
    await settled()
    stop()
    vi.unstubAllGlobals()
    expect(told).toMatchObject([{ Voice: true, Video: false }])
  })
})
