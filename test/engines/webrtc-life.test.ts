import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, NOTHING_LEFT, codeOf, media, picture } from '../support/engine-pair.ts'
import type { Directions } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const failure = (name: string, message = ''): Error => Object.assign(new Error(message), { name })

describe('WebRtcEngine: abort, undo, stop', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))

  afterEach(() => pair.end())

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
    expect(
      Object.entries(visitor.engine.data()).map(([medium, data]) => [medium, Object.keys(data)]),
    ).toEqual([['Video', ['tx_stream', 'rx_stream']]])
    expect(visitor.tx('Video')?.getTracks()).toEqual([kept])
    expect([visitor.devices.live, agent.devices.live, visitor.counted.made.length]).toEqual([1, 1, 1])
    await picture(agent)
  })

  it('NEG-5 undo of a hang-up that the other side failed connects again', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx rx' })
    await visitor.transit({})
    await until('the connection is gone', () => agent.counted.open() === 0)
    await Promise.all([
      visitor.engine.undo(media({ Video: 'tx rx' })),
      agent.engine.undo(media({ Video: 'tx rx' })),
    ])
    await picture(agent)
    await picture(visitor)
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

  it('NEG-4 an undo during a transition ends it with left, and gives back at once what it does not need', async () => {
    const { visitor } = start()
    await visitor.engine.prepare(media({ Screen: 'tx' }))
    visitor.devices.hold()
    const hanging = codeOf(visitor.transit({ Voice: 'tx', Screen: 'tx' }))
    const undone = codeOf(visitor.engine.undo(media({ Video: 'rx' })))
    expect(visitor.devices.live).toBe(0)
    expect(await hanging).toBe('left')
    const connecting = codeOf(visitor.transit({ Voice: 'rx' }))
    const nothing = visitor.engine.undo({})
    expect(await connecting).toBe('left')
    await nothing
    expect(await undone).toBe('left')
    const alone = codeOf(visitor.engine.undo(media({ Video: 'rx' })))
    await pair.clock.advance(4_000)
    expect(await alone).toBe('engine_failed')
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

  it.each([
    'at once',
    'while the browser asks',
    'while it loads',
    'while it connects',
    'when it is up',
    'in an undo',
  ])('LIFE-20 stop %s: what runs settles with left and nothing remains', async (moment) => {
    const { visitor, agent } = start()
    if (moment === 'while the browser asks') visitor.devices.hold()
    if (moment === 'while it loads') visitor.servers = () => new Promise(() => {})
    if (moment === 'while it connects') pair.hold()
    const running = [
      codeOf(visitor.transit({ Voice: 'tx rx', Screen: 'tx' })),
      codeOf(agent.transit({ Voice: 'tx rx', Screen: 'rx' })),
    ]
    if (moment === 'while it connects') await until('an offer', () => visitor.sent.length > 0)
    if (moment === 'when it is up' || moment === 'in an undo') await Promise.all(running)
    if (moment === 'in an undo') {
      visitor.devices.hold()
      running.push(codeOf(visitor.engine.undo(media({ Voice: 'tx rx', Video: 'tx' }))))
    }
    await Promise.all([visitor.engine.stop(), agent.engine.stop(), visitor.engine.stop()])
    const isUp = moment === 'when it is up' || moment === 'in an undo'
    expect(await Promise.all(running)).toEqual([
      ...(isUp ? ['done', 'done'] : ['left', 'left']),
      ...(moment === 'in an undo' ? ['left'] : []),
    ])
    visitor.devices.answer()
    await settled()
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
    expect([visitor.engine.data(), agent.engine.data()]).toEqual([{}, {}])
    expect([...visitor.events, ...agent.events]).toEqual([])
  })

  it('LIFE-20 stop at once, or after a call, leaves no media and no timer', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const { visitor } = start()
    const before = timers()
    const atOnce = codeOf(visitor.transit({ Voice: 'rx' }))
    await visitor.engine.stop()
    await settled()
    expect([await atOnce, visitor.engine.data()]).toEqual(['left', {}])
    await pair.transit({ Voice: 'rx', Screen: 'tx' })
    await pair.stop()
    await until('no timer', () => timers() <= before)
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('LIFE-23 after stop a new call works', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx' })
    await Promise.all([visitor.engine.stop(), agent.engine.stop()])
    Object.assign(visitor, { state: {} })
    Object.assign(agent, { state: {} })
    await pair.transit({ Video: 'tx' })
    await picture(agent)
    expect(() =>
      visitor.engine.attach({
        slot: 'visitor',
        clock: pair.clock,
        signal: () => {},
        iceServers: () => Promise.resolve([]),
        report: () => {},
        observed: () => {},
      }),
    ).toThrow('make one for each contact')
  })
})
