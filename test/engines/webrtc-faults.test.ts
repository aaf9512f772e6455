import { deepEqual } from 'node:assert/strict'
import { afterEach, describe, expect, it } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { EnginePair } from '../support/engine-pair.ts'
import type { Directions, Party } from '../support/engine-pair.ts'
import { media } from '../support/engine-pair.ts'
import { shows, until, watch } from '../support/node-media.ts'
import { settled } from '../../testing/test-clock.ts'

const NOTHING_LEFT = { tracks: 0, connections: 0, timers: 0 }

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { readonly code?: unknown }) => error.code,
  )

const failure = (name: string, message = ''): Error => Object.assign(new Error(message), { name })

describe('WebRtcEngine: failures, abort, undo, stop', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair => (pair = new EnginePair(...options))
  const flows = async (from: Party, to: Party): Promise<void> => {
    const track = to.rx('Video')?.getVideoTracks()[0]
    if (!track) throw new Error(`the ${to.slot} has no picture`)
    const watcher = watch(track)
    try {
      await until(`the picture of the ${from.slot}`, () => shows(watcher, COLOURS.red))
    } finally {
      watcher.stop()
    }
  }

  afterEach(async () => {
    await pair.stop()
    await settled()
    deepEqual(pair.leftovers, NOTHING_LEFT)
  })

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
  ])('ENG-13 %s with %s "%s" fails with %s, and everything is as before', async (medium, name, message, code) => {
    const { visitor } = start()
    const thrown = failure(name, message)
    visitor.devices.failures.push(thrown, thrown)
    const error: unknown = await visitor.transit({ [medium]: 'tx' }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'ContactError', code, cause: thrown })
    expect((error as Error).message).toMatch(/^unable to capture /)
    await visitor.engine.undo({})
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('ENG-13 a thrown nothing and a missing getDisplayMedia are errors with a code, too', async () => {
    const { visitor } = start()
    visitor.devices.failures.push(undefined)
    expect(await codeOf(visitor.transit({ Voice: 'tx' }))).toBe('media_failed')
    Object.defineProperty(visitor.devices, 'getDisplayMedia', { value: undefined })
    expect(await codeOf(visitor.engine.prepare(media({ Screen: 'tx' })))).toBe('media_not_found')
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
    expect(await Promise.all([codeOf(visitor.transit({ Voice: 'tx rx', Video: 'tx rx' })), codeOf(agent.transit({ Voice: 'tx rx', Video: 'tx rx' }))])).toEqual([
      'media_dismissed',
      'done',
    ])
    await Promise.all([visitor.engine.undo(media({ Voice: 'tx rx', Video: 'rx' })), agent.engine.undo(media({ Voice: 'tx rx', Video: 'tx' }))])
    agent.state = { Voice: 'tx rx', Video: 'tx' }
    expect([visitor.devices.live, agent.devices.live]).toEqual([1, 2])
    await flows(agent, visitor)
    await pair.transit({ Voice: 'tx rx', Video: 'tx rx' })
    await flows(visitor, agent)
    expect([visitor.counted.made.length, agent.counted.made.length]).toEqual([1, 1])
  })

  it('LIFE-20 abort while the browser asks: left at once, and the late device is stopped', async () => {
    const { visitor } = start()
    const abort = new AbortController()
    visitor.devices.hold()
    const transit = codeOf(visitor.transit({ Voice: 'tx', Video: 'tx' }, { signal: abort.signal }))
    await until('the question', () => visitor.devices.asked.length === 1)
    abort.abort()
    expect(await transit).toBe('left')
    visitor.devices.answer()
    await until('the late answer', () => visitor.devices.tracks.length === 2)
    await settled()
    expect(visitor.devices.live).toBe(0)
    await visitor.engine.undo({})
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('LIFE-20 abort before the start, and while it connects, settles with left', async () => {
    const { visitor } = start()
    expect(await codeOf(visitor.transit({ Voice: 'tx' }, { signal: AbortSignal.abort() }))).toBe('left')
    expect(visitor.devices.asked).toEqual([])
    const abort = new AbortController()
    const transit = codeOf(visitor.transit({ Voice: 'tx' }, { signal: abort.signal }))
    await until('an offer', () => visitor.sent.length > 0)
    abort.abort()
    expect(await transit).toBe('left')
    await visitor.engine.undo({})
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('NEG-5 undo after a finished transition brings back exactly what was on, over the same connection', async () => {
    const { visitor, agent } = start()
    const before: Directions = { Video: 'tx rx' }
    await pair.transit(before)
    const [kept] = visitor.tx('Video')?.getTracks() ?? []
    await pair.transit({ Video: 'tx rx', Screen: 'tx', Voice: 'tx' })
    await Promise.all([visitor.engine.undo(media(before)), agent.engine.undo(media(before))])
    expect(Object.entries(visitor.engine.data()).map(([medium, data]) => [medium, Object.keys(data)])).toEqual([['Video', ['tx_stream', 'rx_stream']]])
    expect(visitor.tx('Video')?.getTracks()).toEqual([kept])
    expect([visitor.devices.live, agent.devices.live, visitor.counted.made.length]).toEqual([1, 1, 1])
    await flows(visitor, agent)
  })

  it('NEG-5 undo of a hang-up that the other side failed connects again', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx rx' })
    await visitor.transit({})
    await until('the connection is gone', () => agent.counted.open() === 0)
    await Promise.all([visitor.engine.undo(media({ Video: 'tx rx' })), agent.engine.undo(media({ Video: 'tx rx' }))])
    await flows(visitor, agent)
    await flows(agent, visitor)
    expect([...visitor.events, ...agent.events]).toEqual([])
  })

  it('NEG-5 undo that cannot bring back a device or the connection fails with engine_failed, and undo to nothing still works', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx' })
    await pair.transit({})
    visitor.devices.failures.push(failure('NotReadableError'))
    expect(await codeOf(visitor.engine.undo(media({ Voice: 'tx' })))).toBe('engine_failed')
    const alone = codeOf(agent.engine.undo(media({ Voice: 'rx' })))
    await pair.clock.advance(4_000)
    expect(await alone).toBe('engine_failed')
    await Promise.all([visitor.engine.undo({}), agent.engine.undo({})])
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
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

  it('LIFE-20 a prepare that is undone or stopped while the browser asks settles with left', async () => {
    const { visitor, agent } = start()
    for (const { engine, devices } of [visitor, agent]) {
      devices.hold()
      const prepared = codeOf(engine.prepare(media({ Voice: 'tx', Video: 'tx' })))
      await (engine === visitor.engine ? engine.undo({}) : engine.stop())
      expect(await prepared).toBe('left')
      devices.answer()
      await until('the late answer', () => devices.tracks.length === 2)
    }
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
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
    await flows(visitor, agent)
    expect(visitor.events.length).toBe(2)
  })

  it.each(['at once', 'while the browser asks', 'while it loads', 'while it connects', 'when it is up', 'in an undo'])(
    'LIFE-20 stop %s: what runs settles with left and nothing remains',
    async (moment) => {
      const { visitor, agent } = start()
      if (moment === 'while the browser asks') visitor.devices.hold()
      if (moment === 'while it loads') visitor.servers = () => new Promise(() => {})
      if (moment === 'while it connects') pair.hold()
      const running = [codeOf(visitor.transit({ Voice: 'tx rx', Screen: 'tx' })), codeOf(agent.transit({ Voice: 'tx rx', Screen: 'rx' }))]
      if (moment === 'while it connects') await until('an offer', () => visitor.sent.length > 0)
      if (moment === 'when it is up' || moment === 'in an undo') await Promise.all(running)
      if (moment === 'in an undo') {
        visitor.devices.hold()
        running.push(codeOf(visitor.engine.undo(media({ Voice: 'tx rx', Video: 'tx' }))))
      }
      await Promise.all([visitor.engine.stop(), agent.engine.stop(), visitor.engine.stop()])
      const isUp = moment === 'when it is up' || moment === 'in an undo'
      expect(await Promise.all(running)).toEqual([...(isUp ? ['done', 'done'] : ['left', 'left']), ...(moment === 'in an undo' ? ['left'] : [])])
      visitor.devices.answer()
      await settled()
      await settled()
      expect(pair.leftovers).toEqual(NOTHING_LEFT)
      expect([visitor.engine.data(), agent.engine.data()]).toEqual([{}, {}])
      expect([...visitor.events, ...agent.events]).toEqual([])
    },
  )

  it('LIFE-23 after stop a new call works', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx' })
    await Promise.all([visitor.engine.stop(), agent.engine.stop()])
    Object.assign(visitor, { state: {} })
    Object.assign(agent, { state: {} })
    await pair.transit({ Video: 'tx' })
    await flows(visitor, agent)
    expect(() => visitor.engine.attach({ slot: 'visitor', clock: pair.clock, signal: () => {}, iceServers: () => Promise.resolve([]), report: () => {} })).toThrow(
      'works for a contact already',
    )
  })

  it('ENG-5 a medium of another engine is refused', async () => {
    const { visitor } = start()
    expect(await codeOf(visitor.transit({ Chat: 'tx' }))).toBe('engine_failed')
  })
})
