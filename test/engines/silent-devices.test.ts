import { afterEach, describe, expect, it, vi } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { DeviceShelf, mic, webcam } from '../support/device-shelf.ts'
import { EnginePair, codeOf, media } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'
import { settled } from '../../testing/index.ts'
import { pageEnvironment } from '../../sdk/client/environment.ts'

/** Devices as a browser has them whose list, or whose answer to a question, comes when the test says so. */
class SilentShelf extends DeviceShelf {
  #listed: (() => void)[] | null = null

  holdList(): void {
    this.#listed = []
  }

  giveList(): void {
    for (const go of this.#listed?.splice(0) ?? []) go()
    this.#listed = null
  }

  override enumerateDevices = async (): ReturnType<DeviceShelf['enumerateDevices']> => {
    const waiting = this.#listed
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve))
    return this.listNow()
  }
}

/** A phone: opens one camera at a time. */
class Phone extends SilentShelf {
  override async getUserMedia(constraints: MediaStreamConstraints): Promise<MediaStream> {
    if (constraints.video && this.live > 0)
      throw Object.assign(new Error('in use'), { name: 'NotReadableError' })
    return super.getUserMedia(constraints)
  }
}

const cameras = () => [webcam('red', COLOURS.red), webcam('blue', COLOURS.blue)]
const ended = (medium: string) => ({ type: 'capture_ended', medium })

describe('devices of which a browser says nothing', () => {
  let pair = new EnginePair()
  const start = (shelf: DeviceShelf): EnginePair =>
    (pair = new EnginePair({ visitor: { mediaDevices: shelf } }))

  afterEach(async () => {
    vi.unstubAllGlobals()
    await pair.end()
  })

  it('SND-6 a lost camera whose medium goes off while the devices are listed starts no other one', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx', Voice: 'rx' })
    shelf.holdList()
    shelf.unplug('red')
    await pair.transit({ Voice: 'rx' })
    const asked = shelf.asked.length
    shelf.giveList()
    await settled()
    expect([shelf.asked.length - asked, shelf.live, visitor.events]).toEqual([0, 0, []])
  })

  it('SND-6 a lost camera starts no other one where the engine is stopped while the devices are listed', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.holdList()
    shelf.unplug('red')
    await visitor.engine.stop()
    shelf.giveList()
    await settled()
    expect([shelf.asked.length, shelf.live]).toEqual([1, 0])
  })

  it('SND-6 SND-303 the other side learns of a loss within 2 s where the devices are not listed, and a list that comes later starts nothing', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.holdList()
    shelf.unplug('red')
    await settled()
    await pair.clock.advance(1_999)
    expect(visitor.events).toEqual([])
    await pair.clock.advance(1)
    expect(visitor.events).toEqual([ended('Video')])
    shelf.giveList()
    await settled()
    expect([shelf.asked.length, shelf.live]).toEqual([1, 0])
  })

  it('SND-6 SND-303 the same where the question for another device is not answered: what comes later is stopped', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.hold()
    shelf.unplug('red')
    await settled()
    await pair.clock.advance(2_000)
    await settled()
    expect([visitor.events, shelf.asked.length]).toEqual([[ended('Video')], 2])
    shelf.answer()
    await settled()
    expect([visitor.events.length, shelf.live]).toEqual([1, 0])
  })

  it('SND-303 a list that never comes ends listDevices and chooseDevice after 2 s, and the next choice is made', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.holdList()
    const listing = codeOf(visitor.engine.listDevices())
    const choosing = codeOf(visitor.engine.chooseDevice('Video', 'blue'))
    await settled()
    await pair.clock.advance(2_000)
    expect(await Promise.all([listing, choosing])).toEqual(['media_failed', 'media_failed'])
    shelf.giveList()
    await visitor.engine.chooseDevice('Video', 'blue')
    expect(visitor.tx('Video')?.getTracks()[0]?.getSettings().deviceId).toBe('blue')
  })

  it('SND-303 a question about another device that nobody answers ends after 60 s, and the next choice is made', async () => {
    const shelf = new SilentShelf([mic('built', 'a'), mic('headset', 'b')])
    const { visitor } = start(shelf)
    await pair.transit({ Voice: 'tx' })
    shelf.hold()
    const choosing = codeOf(visitor.engine.chooseDevice('Voice', 'headset'))
    await settled()
    await pair.clock.advance(60_000)
    expect(await choosing).toBe('media_dismissed')
    shelf.answer()
    await settled()
    expect([shelf.live, visitor.tx('Voice')?.getTracks()[0]?.getSettings().deviceId]).toEqual([1, 'built'])
    await visitor.engine.chooseDevice('Voice', 'headset')
    expect(visitor.tx('Voice')?.getTracks()[0]?.getSettings().deviceId).toBe('headset')
  })

  it('SND-25 a phone, which opens one camera at a time, changes from one to the other', async () => {
    const shelf = new Phone(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    await visitor.engine.chooseDevice('Video', 'blue')
    expect([visitor.tx('Video')?.getTracks()[0]?.getSettings().deviceId, shelf.live]).toEqual(['blue', 1])
  })

  it('SND-25 the camera before is opened again where the other one does not start; where that does not either, the other side is told', async () => {
    const shelf = new Phone(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    const busy = Object.assign(new Error('busy'), { name: 'NotReadableError' })
    shelf.failures.push(busy)
    expect(await codeOf(visitor.engine.chooseDevice('Video', 'blue'))).toBe('media_in_use')
    expect([visitor.tx('Video')?.getTracks()[0]?.getSettings().deviceId, shelf.live]).toEqual(['red', 1])
    shelf.failures.push(busy, busy, busy)
    expect(await codeOf(visitor.engine.chooseDevice('Video', null))).toBe('done')
    expect(await codeOf(visitor.engine.chooseDevice('Video', 'blue'))).toBe('media_in_use')
    await settled()
    expect([visitor.events.filter(({ type }) => type === 'capture_ended'), shelf.live]).toEqual([
      [ended('Video')],
      0,
    ])
  })
})

describe('one device and what happens to another', () => {
  let pair = new EnginePair()
  const start = (shelf: DeviceShelf): EnginePair =>
    (pair = new EnginePair({ visitor: { mediaDevices: shelf } }))
  const devices = () => [...cameras(), mic('built', 'a'), mic('headset', 'b')]
  const usedOf = (medium: 'Voice' | 'Video') =>
    pair.visitor.tx(medium)?.getTracks()[0]?.getSettings().deviceId
  const interrupted = (on: boolean) => ({ type: 'interrupted', medium: 'Voice', on })
  const told = () => pair.visitor.events.filter(({ type }) => type === 'interrupted')
  const interrupt = (): Promise<void> => {
    const track = pair.visitor.tx('Voice')?.getTracks()[0]
    Object.defineProperty(track, 'muted', { value: true, configurable: true })
    track?.dispatchEvent({ type: 'mute' } as Event)
    return settled()
  }

  afterEach(() => pair.end())

  it('SND-6 ENG-17 a microphone that does not start keeps no camera from being chosen', async () => {
    const shelf = new SilentShelf(devices())
    const [{ visitor }, ask] = [start(shelf), shelf.getUserMedia.bind(shelf)]
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    shelf.getUserMedia = (constraints) =>
      constraints.audio
        ? Promise.reject(Object.assign(new Error('in use'), { name: 'NotReadableError' }))
        : ask(constraints)
    expect(await codeOf(visitor.engine.chooseDevice('Voice', 'headset'))).toBe('media_in_use')
    expect([
      await codeOf(visitor.engine.chooseDevice('Video', 'blue')),
      usedOf('Voice'),
      usedOf('Video'),
    ]).toEqual(['done', 'built', 'blue'])
  })

  it('SND-6 ENG-11 a camera that was turned off and on again is not taken back for the loss of the one before', async () => {
    const shelf = new SilentShelf(devices())
    const { visitor } = start(shelf)
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    shelf.holdList()
    shelf.unplug('red')
    await settled()
    await pair.transit({ Voice: 'tx' })
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    await pair.clock.advance(2_000)
    await settled()
    expect([
      visitor.tx('Video')?.getTracks()[0]?.readyState,
      visitor.events.filter(({ type }) => type === 'capture_ended'),
    ]).toEqual(['live', []])
  })

  it('SND-6 ENG-16 an interruption ends when another device takes the place of the interrupted one, chosen or not, and when its medium goes off', async () => {
    const shelf = new SilentShelf(devices())
    const { visitor } = start(shelf)
    await pair.transit({ Voice: 'tx' })
    await interrupt()
    await visitor.engine.chooseDevice('Voice', 'headset')
    expect([visitor.engine.isInterrupted('Voice'), told()]).toEqual([
      false,
      [interrupted(true), interrupted(false)],
    ])
    await interrupt()
    shelf.unplug('headset')
    await settled()
    expect([usedOf('Voice'), told().slice(2)]).toEqual(['built', [interrupted(true), interrupted(false)]])
    await interrupt()
    await pair.transit({ Voice: 'rx' })
    expect(told().slice(4)).toEqual([interrupted(true), interrupted(false)])
  })
})

describe('calls of the browser that never settle', () => {
  let pair = new EnginePair()
  const never = <T>(): Promise<T> => new Promise<T>(() => {})

  afterEach(() => pair.end())

  it.each(['getUserMedia', 'getDisplayMedia'] as const)(
    'SND-303 %s: a transition ends when it is aborted, what else runs goes on, and the next question is asked',
    async (call) => {
      pair = new EnginePair()
      const { visitor } = pair
      const medium = call === 'getUserMedia' ? 'Video' : 'Screen'
      await pair.transit({ Voice: 'rx' })
      const ask = visitor.devices[call].bind(visitor.devices)
      visitor.devices[call] = never
      const abort = new AbortController()
      const changing = codeOf(visitor.transit({ Voice: 'rx', [medium]: 'tx' }, { signal: abort.signal }))
      await settled()
      abort.abort()
      expect(await changing).toBe('left')
      await visitor.engine.undo(media({ Voice: 'rx' }))
      visitor.devices[call] = ask
      await pair.transit({ Voice: 'rx', [medium]: 'tx' })
      expect(visitor.devices.live).toBe(1)
    },
  )

  it('SND-303 replaceTrack: the connection of a next call is not held up by it', async () => {
    pair = new EnginePair()
    const { visitor } = pair
    await pair.transit({ Voice: 'tx' })
    Object.defineProperty(visitor.counted.made[0]?.getSenders()[1], 'replaceTrack', { value: never })
    const changing = codeOf(visitor.transit({ Voice: 'tx', Video: 'tx' }))
    await settled()
    await pair.stop()
    expect(await changing).toBe('left')
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    expect(visitor.counted.made.at(-1)?.getSenders()[1]?.track?.readyState).toBe('live')
  })

  it('SND-303 applyConstraints: ends after 5 s with media_failed', async () => {
    pair = new EnginePair()
    const { visitor } = pair
    await pair.transit({ Voice: 'tx' })
    Object.defineProperty(visitor.tx('Voice')?.getTracks()[0], 'applyConstraints', { value: never })
    const constraining = codeOf(visitor.engine.setConstraints('Voice', { echoCancellation: false }))
    await pair.clock.advance(5_000)
    expect(await constraining).toBe('media_failed')
  })

  it('SND-303 getStats: what flows is looked at again when the browser answers', async () => {
    pair = new EnginePair()
    const { visitor } = pair
    await pair.transit({ Voice: 'tx' })
    const real = visitor.counted.made[0]
    const getStats = real?.getStats.bind(real)
    Object.defineProperty(real, 'getStats', { value: never, configurable: true })
    await pair.clock.advance(5_000)
    expect(visitor.observations).toEqual([])
    Object.defineProperty(real, 'getStats', { value: getStats, configurable: true })
    await pair.clock.advance(5_000)
    await until('an observation', () => {
      void pair.clock.advance(1_000)
      return visitor.observations.length > 0
    })
  })
})

describe('availability', () => {
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
