import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/index.ts'
import { EnginePair, codeOf, media } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

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
