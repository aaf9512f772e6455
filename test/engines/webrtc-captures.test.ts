import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, NOTHING_LEFT, codeOf, media } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { tone, until } from '../support/node-media.ts'

const failure = (name: string): Error => Object.assign(new Error(name), { name })
const lost = ({ events }: Party): unknown[] => events.filter(({ type }) => type === 'capture_ended')
const over = (medium: string): unknown[] => [{ type: 'capture_ended', medium }]

describe('WebRtcEngine: captures that end early', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))

  afterEach(() => pair.end())

  it('SND-302 ENG-11 a microphone that goes while the screen is chosen is asked for again', async () => {
    const { visitor } = start()
    await visitor.engine.prepare(media({ Voice: 'tx' }))
    visitor.devices.hold()
    const both = codeOf(pair.transit({ Voice: 'tx', Screen: 'tx' }))
    await settled()
    visitor.devices.unplug('audio')
    await settled()
    visitor.devices.answer()
    expect(await both).toBe('done')
    expect([visitor.tx('Voice')?.getAudioTracks().length, lost(visitor)]).toEqual([1, []])
  })

  it('SND-302 ENG-11 a share that its user ends while the other side decides is told when it begins, and no second picker opens', async () => {
    const { visitor } = start()
    await visitor.engine.prepare(media({ Screen: 'tx' }), true)
    visitor.devices.unplug('video')
    await settled()
    expect(await codeOf(pair.transit({ Screen: 'tx' }))).toBe('done')
    expect([visitor.devices.asked.length, visitor.devices.live, lost(visitor)]).toEqual([
      1,
      0,
      over('Screen'),
    ])
    await pair.transit({})
    await visitor.engine.prepare(media({ Screen: 'tx' }), true)
    await pair.transit({ Screen: 'tx' })
    expect([visitor.devices.asked.length, visitor.devices.live > 0]).toEqual([2, true])
  })

  it('SND-302 ENG-12 a picker that fails for its sound opens no second one where the screen is not wanted any more', async () => {
    const { visitor } = start()
    visitor.devices.hold()
    visitor.devices.failures.push(failure('NotReadableError'))
    const prepared = codeOf(visitor.engine.prepare(media({ Screen: 'tx' })))
    await settled()
    await visitor.engine.undo({})
    visitor.devices.answer()
    await settled()
    expect([await prepared, visitor.devices.asked.length]).toEqual(['left', 1])
  })

  it('SND-313 ENG-14 a prepare that fails leaves what another one waits for', async () => {
    const { visitor } = start()
    visitor.devices.hold()
    const voice = codeOf(visitor.engine.prepare(media({ Voice: 'tx' })))
    visitor.devices.getDisplayMedia = () => Promise.reject(failure('NotAllowedError'))
    expect(await codeOf(visitor.engine.prepare(media({ Screen: 'tx' })))).toBe('media_dismissed')
    visitor.devices.answer()
    expect([await voice, visitor.devices.live]).toEqual(['done', 1])
  })

  it('SND-304 ENG-11 tracks that an application takes out of tx_stream are still sent, muted and given back, and one that it adds is its own', async () => {
    const { visitor } = start()
    await pair.transit({ Voice: 'tx rx' })
    const stream = visitor.tx('Voice')
    const [track] = stream?.getTracks() ?? []
    const own = tone(300)
    if (track) stream?.removeTrack(track)
    stream?.addTrack(own)
    visitor.engine.muteLocalAudio()
    expect([track?.enabled, own.enabled]).toEqual([false, true])
    await pair.transit({ Voice: 'tx rx', Video: 'tx' })
    const sent = visitor.counted.made[0]?.getSenders().flatMap(({ track: each }) => each ?? [])
    expect([sent?.includes(track as MediaStreamTrack), sent?.includes(own)]).toEqual([true, false])
    await visitor.engine.stop()
    await settled()
    expect([visitor.devices.live, own.readyState]).toEqual([0, 'live'])
    own.stop()
  })

  it('SND-304 ENG-12 tracks that an application takes out of rx_stream come back with the next change, and the rest is played', async () => {
    const { visitor } = start()
    await pair.transit({ Voice: 'tx rx' })
    const stream = visitor.rx('Voice')
    for (const track of stream?.getTracks() ?? []) stream?.removeTrack(track)
    await pair.transit({ Voice: 'tx rx', Video: 'tx' })
    expect(visitor.rx('Voice')?.getAudioTracks().length).toBe(1)
  })

  it('SND-304 ENG-25 constraints that were handed in are not shared, neither with setConstraints nor as options', async () => {
    const options = { video: { width: { ideal: 640 } }, screen: { video: { frameRate: { ideal: 5 } } } }
    const { visitor } = start({ visitor: options })
    options.video.width.ideal = options.screen.video.frameRate.ideal = 1
    await visitor.engine.prepare(media({ Video: 'tx', Screen: 'tx' }))
    await visitor.engine.undo({})
    const given = { width: { ideal: 1280 } }
    await visitor.engine.setConstraints('Video', given)
    given.width.ideal = 1
    await visitor.engine.prepare(media({ Video: 'tx' }))
    expect(visitor.devices.asked).toEqual([
      { video: { width: { ideal: 640 } } },
      { video: { frameRate: { ideal: 5 } } },
      { video: { width: { ideal: 1280 } } },
    ])
  })

  it('SND-302 ENG-25 constraints that a device refuses are not asked of the next one', async () => {
    const { visitor } = start()
    await pair.transit({ Video: 'tx' })
    Object.defineProperty(visitor.devices.tracks[0], 'applyConstraints', {
      value: () => Promise.reject(failure('OverconstrainedError')),
    })
    const refused = codeOf(visitor.engine.setConstraints('Video', { width: { exact: 99_999 } }))
    expect(await refused).toBe('media_not_found')
    await pair.transit({})
    visitor.devices.asked.length = 0
    await pair.transit({ Video: 'tx' })
    expect(visitor.devices.asked).toEqual([{ video: true }])
  })
})

describe('WebRtcEngine: endCapture', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))

  afterEach(() => pair.end())

  it('SND-312 gives the device of one medium back at once, and tells it as a capture that ended', async () => {
    const { visitor } = start()
    await pair.transit({ Voice: 'tx rx', Video: 'tx' })
    visitor.engine.endCapture('Voice')
    expect([visitor.devices.live, visitor.tx('Voice'), lost(visitor)]).toEqual([1, undefined, over('Voice')])
    await until(
      'no track is sent',
      () => visitor.counted.made[0]?.getSenders().every(({ track }) => track?.kind !== 'audio') === true,
    )
    await pair.transit({ Voice: 'tx rx' })
    expect(visitor.devices.live).toBe(0)
    await pair.transit({ Voice: 'rx' })
    await pair.transit({ Voice: 'tx rx' })
    expect(visitor.devices.live).toBe(1)
  })

  it('SND-312 what is asked for is not waited for, and what comes is stopped', async () => {
    const { visitor } = start()
    visitor.devices.hold()
    const transit = codeOf(visitor.transit({ Voice: 'tx' }))
    await settled()
    visitor.engine.endCapture('Voice')
    expect(await transit).toBe('left')
    visitor.devices.answer()
    await visitor.engine.undo({})
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('SND-312 what was prepared and ended is not captured when the call begins, and where nothing is captured it does nothing', async () => {
    const { visitor } = start()
    visitor.engine.endCapture('Voice')
    await visitor.engine.prepare(media({ Voice: 'tx' }), true)
    visitor.engine.endCapture('Voice')
    await pair.transit({ Voice: 'tx rx' })
    expect([visitor.devices.asked.length, visitor.devices.live, lost(visitor)]).toEqual([1, 0, over('Voice')])
  })

  it('SND-312 onControls tells what changes of mute and hold, once each, and not what does not', async () => {
    const { visitor } = start()
    const told: unknown[] = []
    const stop = visitor.engine.onControls(() => told.push(visitor.engine.controls()))
    visitor.engine.muteLocalAudio()
    visitor.engine.muteLocalAudio()
    await settled()
    visitor.engine.hold()
    await settled()
    stop()
    visitor.engine.resume()
    await settled()
    expect(told).toEqual([
      { muted: ['Voice'], held: false },
      { muted: ['Voice'], held: true },
    ])
  })
})
