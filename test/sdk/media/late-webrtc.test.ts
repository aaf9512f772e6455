import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebRtcEngine } from '../../../engines/index.ts'
import type { EngineEvent, EngineHost } from '../../../engines/index.ts'
import { ContactError, deferred } from '../../../protocol/index.ts'
import type { Deferred } from '../../../protocol/index.ts'
import { here, later } from '../../../sdk/contact/lazy-modules.ts'
import { LateWebRtc } from '../../../sdk/media/late-webrtc.ts'
import { TestClock, settled } from '../../../testing/test-clock.ts'
import { watch } from '../../support/contacts.ts'

const loaded = await later.webRtc()
const VOICE = { Voice: { tx: true, rx: false, via: 'net', engine: 'WebRTC' } } as const

let coming: Deferred
let asks = 0

interface Late {
  readonly engine: LateWebRtc
  readonly clock: TestClock
  readonly events: EngineEvent[]
  /** Calls of the browser for devices. */
  readonly captures: unknown[]
}

function late(): Late {
  const [clock, events, captures] = [new TestClock(), [] as EngineEvent[], [] as unknown[]]
  const getUserMedia = (constraints: MediaStreamConstraints): Promise<MediaStream> => {
    captures.push(constraints)
    return new Promise(() => {})
  }
  const engine = new LateWebRtc({ mediaDevices: { getUserMedia } }, clock)
  const host: EngineHost = {
    ...{ slot: 'visitor', clock, signal: () => {}, iceServers: async () => [] },
    ...{ report: (event) => void events.push(event), observed: () => {} },
  }
  engine.attach(host)
  return { engine, clock, events, captures }
}

beforeEach(() => {
  asks = 0
  here.webRtc = null
  coming = deferred()
  vi.spyOn(later, 'webRtc').mockImplementation(async () => {
    asks++
    await coming.promise
    return (here.webRtc = loaded)
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  here.webRtc = loaded
})

async function come(): Promise<void> {
  coming.resolve()
  await settled()
}

describe('the WebRTC engine of a page before its code is there', () => {
  it('PKG-2 ENG-2 has every member of the engine', () => {
    const membersOf = (kind: object): string[] => {
      const above: unknown = Object.getPrototypeOf(kind)
      const own = Object.getOwnPropertyNames(kind)
      return typeof above === 'object' && above !== null && above !== Object.prototype
        ? [...own, ...membersOf(above)]
        : own
    }
    const hidden = ['captureInterrupted', 'captureOver', 'clock', 'controlsChanged', 'deviceChanged']
    const { engine } = late()
    const lacks = membersOf(WebRtcEngine.prototype).filter((name) => !(name in engine))
    expect(lacks.toSorted()).toEqual([...hidden, 'holding', 'isSending'])
    expect(engine.id).toBe(new WebRtcEngine().id)
  })

  it('PKG-2 ENG-1 tells what the engine carries, and loads nothing for it', async () => {
    vi.stubGlobal('RTCPeerConnection', () => {})
    const { engine } = late()
    const wrtc = {} as NonNullable<ConstructorParameters<typeof WebRtcEngine>[0]>['wrtc'] & object
    expect(await engine.capabilities()).toEqual(await new WebRtcEngine({ wrtc }).capabilities())
    vi.unstubAllGlobals()
    expect([await engine.capabilities(), engine.data(), asks]).toEqual([{}, {}, 0])
    await engine.undo({})
    await engine.stop()
    expect(asks).toBe(0)
  })

  it('PKG-2 ENG-13 notes what is muted or held, tells it, and puts it in force when the code comes', async () => {
    const { engine, events } = late()
    let told = 0
    const stop = engine.onControls(() => told++)
    engine.muteLocalAudio()
    engine.muteLocalAudio()
    engine.hold()
    await settled()
    const controls = { muted: ['Voice'], held: true }
    expect([engine.controls(), engine.isLocalAudioMuted, engine.isLocalVideoMuted, engine.isHeld]).toEqual([
      controls,
      true,
      false,
      true,
    ])
    expect([events, told, asks]).toEqual([[{ type: 'controls_changed' }, { type: 'controls_changed' }], 2, 0])
    void engine.listDevices().catch(() => {})
    await come()
    expect(engine.controls()).toEqual(controls)
    told = 0
    engine.resume()
    engine.unmuteLocalAudio()
    engine.muteLocalVideo()
    await settled()
    expect([engine.controls(), told]).toEqual([{ muted: ['Video'], held: false }, 3])
    stop()
    engine.unmuteLocalVideo()
    await settled()
    expect(told).toBe(3)
  })

  it('PKG-2 SND-303 an operation waits for the code, and asks for devices at once where it is there', async () => {
    const { engine, captures } = late()
    const preparing = watch(engine.prepare(VOICE))
    await settled()
    expect([preparing.result, captures.length, asks]).toEqual(['pending', 0, 1])
    await come()
    expect(captures).toHaveLength(1)
    const second = late()
    void second.engine.prepare(VOICE).catch(() => {})
    expect(second.captures).toHaveLength(1)
    await Promise.all([engine.stop(), second.engine.stop()])
    await settled()
    expect(preparing.result).toEqual({ code: 'left' })
  })

  it.each(['stop', 'undo'] as const)(
    'PKG-2 SND-303 after %s, what waited for the code asks for no device',
    async (name) => {
      const { engine, captures } = late()
      const preparing = watch(engine.prepare(VOICE))
      await (name === 'stop' ? engine.stop() : engine.undo({}))
      await come()
      expect([preparing.result, captures]).toEqual([{ code: 'left' }, []])
    },
  )

  it('PKG-2 SND-303 fails with engine_failed where the code does not come; the next operation asks again', async () => {
    const { engine, clock, captures } = late()
    const first = watch(engine.prepare(VOICE))
    coming.reject(new Error('no network'))
    await settled()
    expect(first.result).toEqual({ code: 'engine_failed' })
    coming = deferred()
    const second = watch(engine.prepare(VOICE))
    await clock.advance(29_999)
    expect(second.result).toBe('pending')
    await clock.advance(1)
    expect([second.result, clock.pending]).toEqual([{ code: 'engine_failed' }, 0])
    void engine.prepare(VOICE).catch(() => {})
    await come()
    expect([asks, captures.length]).toEqual([3, 1])
    await engine.stop()
  })

  it('PKG-2 SND-303 a transition that is aborted meanwhile settles at once', async () => {
    const { engine } = late()
    const abort = new AbortController()
    const change = { from: {}, to: VOICE, wasOffered: false, restore: false, signal: abort.signal }
    const changing = watch(engine.transit(change))
    abort.abort(new ContactError('left', 'unable to go on'))
    await settled()
    expect(changing.result).toEqual({ code: 'left' })
  })

  it('PKG-16 LOG-4 a signal that comes right after the code stands behind those that waited', async () => {
    const { engine } = late()
    const heard: unknown[] = []
    vi.spyOn(WebRtcEngine.prototype, 'receive').mockImplementation((data) => void heard.push(data))
    engine.receive('offer')
    here.webRtc = loaded
    void engine.listDevices().catch(() => {})
    engine.receive('candidate')
    await come()
    expect(heard).toEqual(['offer', 'candidate'])
  })

  it('PKG-2 SND-306 signals wait for the code in order, and no more than 512 of them', async () => {
    const { engine } = late()
    const heard: unknown[] = []
    vi.spyOn(WebRtcEngine.prototype, 'receive').mockImplementation((data) => void heard.push(data))
    for (let n = 0; n < 600; n++) engine.receive(n)
    await engine.stop()
    await come()
    engine.receive('next')
    expect(heard).toEqual([...Array(512).keys(), 'next'])
  })

  it('PKG-2 ENG-20 the chosen device is known at once, and taken when the code comes', async () => {
    const { engine, captures } = late()
    const choosing = watch(engine.chooseDevice('Voice', 'mic-2'))
    expect(engine.chosenDevice('Voice')).toBe('mic-2')
    await come()
    void engine.prepare(VOICE).catch(() => {})
    expect([engine.chosenDevice('Voice'), choosing.result]).toEqual(['mic-2', { value: undefined }])
    expect(captures).toMatchObject([{ audio: { deviceId: { ideal: 'mic-2' } } }])
    await engine.stop()
  })
})
