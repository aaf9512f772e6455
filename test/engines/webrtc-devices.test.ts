import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, NOTHING_LEFT, codeOf, media, picture } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const failure = (name: string, message = ''): Error => Object.assign(new Error(message), { name })

describe('WebRtcEngine: devices', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))

  afterEach(() => pair.end())

  it.each([
    ['Voice', 'NotAllowedError', 'Permission denied', 'media_denied'],
    ['Voice', 'NotAllowedError', 'Permission dismissed', 'media_dismissed'],
    ['Screen', 'NotAllowedError', 'Permission denied by user', 'media_dismissed'],
    ['Screen', 'NotAllowedError', 'Permission denied by system', 'media_denied'],
    ['Video', 'NotFoundError', '', 'media_not_found'],
    ['Video', 'OverconstrainedError', '', 'media_not_found'],
    ['Video', 'NotReadableError', '', 'media_in_use'],
    ['Voice', 'AbortError', '', 'media_in_use'],
    ['Voice', 'SecurityError', '', 'media_insecure_context'],
    ['Voice', 'TypeError', '', 'media_failed'],
    ['Voice', 'Error', 'anything', 'media_failed'],
  ])(
    'ENG-13 %s with %s "%s" fails with %s, and everything is as before',
    async (medium, name, message, code) => {
      const { visitor } = start()
      const thrown = failure(name, message)
      visitor.devices.failures.push(thrown, thrown)
      const error: unknown = await visitor.transit({ [medium]: 'tx' }).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ name: 'ContactError', code, cause: thrown })
      expect((error as Error).message).toMatch(/^unable to capture /)
      await visitor.engine.undo({})
      await settled()
      expect(pair.leftovers).toEqual(NOTHING_LEFT)
    },
  )

  it('ENG-13 a thrown nothing and a missing getDisplayMedia are errors with a code, too', async () => {
    const { visitor } = start()
    visitor.devices.failures.push(undefined)
    expect(await codeOf(visitor.transit({ Voice: 'tx' }))).toBe('media_failed')
    Object.defineProperty(visitor.devices, 'getDisplayMedia', { value: undefined })
    expect(await codeOf(visitor.engine.prepare(media({ Screen: 'tx' })))).toBe('media_not_found')
  })

  it('ENG-13 a block by permissions policy is told apart in the message', async () => {
    const { visitor } = start()
    Object.assign(globalThis, {
      document: { featurePolicy: { allowsFeature: (feature: string) => feature !== 'camera' } },
    })
    try {
      const messages: string[] = []
      for (const medium of ['Voice', 'Video']) {
        visitor.devices.failures.push(failure('NotAllowedError', 'Permission denied'))
        messages.push(await visitor.engine.prepare(media({ [medium]: 'tx' })).then(String, String))
      }
      expect(messages.map((message) => message.includes('permissions policy'))).toEqual([false, true])
    } finally {
      Reflect.deleteProperty(globalThis, 'document')
    }
  })

  it('ENG-12 a screen whose sound cannot be had is shared without it', async () => {
    const { visitor } = start()
    visitor.devices.failures.push(failure('NotReadableError', 'Could not start audio source'))
    await pair.transit({ Screen: 'tx' })
    expect(visitor.devices.asked).toEqual([
      { video: true, audio: true },
      { video: true, audio: false },
    ])
    expect(
      visitor
        .tx('Screen')
        ?.getTracks()
        .map(({ kind }) => kind),
    ).toEqual(['video'])
  })

  it('ENG-14 a denied camera leaves the call that ran, and the next try works', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx', Video: 'rx' })
    visitor.devices.failures.push(failure('NotAllowedError', 'Permission dismissed'))
    expect(
      await Promise.all([
        codeOf(visitor.transit({ Voice: 'tx rx', Video: 'tx rx' })),
        codeOf(agent.transit({ Voice: 'tx rx', Video: 'tx rx' })),
      ]),
    ).toEqual(['media_dismissed', 'done'])
    await Promise.all([
      visitor.engine.undo(media({ Voice: 'tx rx', Video: 'rx' })),
      agent.engine.undo(media({ Voice: 'tx rx', Video: 'tx' })),
    ])
    agent.state = { Voice: 'tx rx', Video: 'tx' }
    expect([visitor.devices.live, agent.devices.live]).toEqual([1, 2])
    await picture(visitor)
    await pair.transit({ Voice: 'tx rx', Video: 'tx rx' })
    await picture(agent)
    expect([visitor.counted.made.length, agent.counted.made.length]).toEqual([1, 1])
  })

  it("ENG-17 a prepared device that goes away before it is used is nobody's loss", async () => {
    const { visitor } = start()
    await visitor.engine.prepare(media({ Video: 'tx' }))
    visitor.devices.unplug('video')
    await settled()
    await pair.transit({ Video: 'tx' })
    expect([visitor.events, visitor.devices.asked.length, visitor.devices.live]).toEqual([[], 2, 1])
  })

  it('ENG-5 a track that cannot be sent fails the transition with engine_failed', async () => {
    const { visitor } = start()
    await pair.transit({ Voice: 'tx' })
    const sender = visitor.counted.made[0]?.getSenders()[1]
    Object.defineProperty(sender, 'replaceTrack', { value: () => Promise.reject(new Error('no')) })
    expect(await codeOf(visitor.transit({ Voice: 'tx', Video: 'tx' }))).toBe('engine_failed')
  })

  it('ENG-16 a device that the system takes for a while is told and shown, ends nothing, and can be asked for anew', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    const system = async (muted: boolean): Promise<void> => {
      const track = visitor.devices.tracks.find(({ kind }) => kind === 'audio')
      Object.defineProperty(track, 'muted', { value: muted, configurable: true })
      track?.dispatchEvent({ type: muted ? 'mute' : 'unmute' } as Event)
      await settled()
    }
    const states = (): readonly boolean[] => [
      visitor.engine.isInterrupted('Voice'),
      visitor.engine.isInterrupted('Video'),
    ]
    await system(true)
    expect(states()).toEqual([true, false])
    await system(false)
    expect(states()).toEqual([false, false])
    await system(true)
    const taken = visitor.tx('Voice')?.getTracks()[0]
    await visitor.engine.resumeCapture('Voice')
    expect([states(), taken?.readyState, visitor.devices.live]).toEqual([[false, false], 'ended', 2])
    const told = [true, false, true].map((on) => ({ type: 'interrupted', medium: 'Voice', on }))
    expect(visitor.events).toEqual([
      ...told,
      { type: 'data_changed', medium: 'Voice' },
      { type: 'interrupted', medium: 'Voice', on: false },
    ])
    await picture(agent)
    visitor.devices.failures.push(failure('NotReadableError'))
    expect(await codeOf(visitor.engine.resumeCapture('Voice'))).toBe('media_in_use')
    expect(visitor.devices.live).toBe(2)
  })

  it('ENG-15 prepare asks before it returns, transit uses it, and undo gives back what is not used', async () => {
    const { visitor } = start()
    const prepared = visitor.engine.prepare(media({ Voice: 'tx', Screen: 'tx rx', Video: 'rx' }))
    expect(visitor.devices.asked).toEqual([{ audio: true }, { video: true, audio: true }])
    await prepared
    await pair.transit({ Voice: 'tx' })
    expect([visitor.devices.asked.length, visitor.devices.live]).toEqual([2, 1])
    await visitor.engine.prepare(media({ Video: 'tx' }))
    expect(visitor.devices.live).toBe(2)
    await visitor.engine.undo(media({ Voice: 'tx' }))
    expect(visitor.devices.live).toBe(1)
  })

  it('ENG-14 one of two refused questions gives back the other', async () => {
    const { visitor } = start()
    visitor.devices.failures.push(failure('NotAllowedError'))
    expect(await codeOf(visitor.engine.prepare(media({ Voice: 'tx', Screen: 'tx' })))).toBe('media_denied')
    await until('both answers', () => visitor.devices.tracks.length === 1)
    await settled()
    expect(visitor.devices.live).toBe(0)
  })

  it('ENG-11 a device that ends is reported once, and not asked for again before its medium was off', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx', Screen: 'tx' })
    visitor.devices.unplug('video')
    await until('both reports', () => visitor.events.length === 2)
    expect(visitor.events).toEqual([
      { type: 'capture_ended', medium: 'Video' },
      { type: 'capture_ended', medium: 'Screen' },
    ])
    const asked = visitor.devices.asked.length
    await pair.transit({ Video: 'tx', Screen: 'tx', Voice: 'tx' })
    expect(visitor.devices.asked.slice(asked)).toEqual([{ audio: true }])
    await pair.transit({ Screen: 'tx' })
    await pair.transit({ Screen: 'tx', Video: 'tx' })
    await picture(agent)
    expect(visitor.events.length).toBe(2)
  })

  it('ENG-5 a medium of another engine is refused', async () => {
    const { visitor } = start()
    expect(await codeOf(visitor.transit({ Chat: 'tx' }))).toBe('engine_failed')
  })
})
