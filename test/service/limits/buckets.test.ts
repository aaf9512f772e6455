import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Buckets } from '../../../service/src/limits/buckets.ts'
import type { Rate } from '../../../service/src/limits/buckets.ts'
import type { ServiceClock } from '../../../service/src/clock/clock.ts'
import { ManualClock } from '../../support/manual-clock.ts'

/** A clock that counts how often it is asked, and can be set. */
function settableClock() {
  let now = 1_000_000
  return {
    clock: { now: () => now, setTimeout: () => null, clearTimeout: () => {} } satisfies ServiceClock,
    set: (to: number) => void (now = to),
  }
}

/** The rule, for one key alone. */
class PlainBucket {
  #level: number
  #at: number
  readonly #rate: Rate

  constructor(rate: Rate, at: number) {
    this.#rate = rate
    this.#level = rate.burst
    this.#at = at
  }

  take(now: number, cost: number): boolean {
    this.#level = Math.min(this.#rate.burst, this.#level + ((now - this.#at) / 1_000) * this.#rate.perSecond)
    this.#at = now
    const taken = this.#level + 1e-6 >= Math.min(cost, this.#rate.burst)
    if (taken) this.#level -= cost
    return taken
  }
}

describe('buckets', () => {
  it('SND-111 a call costs the same however many keys are busy', () => {
    const clock = new ManualClock()
    const buckets = new Buckets({ perSecond: 0.01, burst: 10 }, clock)
    const timeOf = (from: number, count: number): number => {
      const start = performance.now()
      for (let key = from; key < from + count; key++) buckets.take(`${key}`)
      return performance.now() - start
    }
    timeOf(0, 5_000)
    const few = timeOf(0, 5_000)
    timeOf(5_000, 40_000)
    const many = timeOf(45_000, 5_000)
    expect(many).toBeLessThan(few * 20 + 100)
  })

  it('SND-111 it knows a bounded number of keys, and forgets none that is not full before that', () => {
    const clock = new ManualClock()
    const buckets = new Buckets({ perSecond: 1, burst: 10 }, clock, 1_000)
    for (let key = 0; key < 10_000; key++) buckets.take(`${key}`)
    expect(buckets.size).toBeLessThanOrEqual(2_000)
    expect(buckets.waitOf('9999', 10)).toBe(1_000)
    clock.advance(40_000)
    buckets.take('new')
    expect(buckets.size).toBe(1)
  })

  it('SND-111 each key has what it would have alone', () => {
    const rate = { perSecond: 2, burst: 5 }
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        cost: fc.integer({ min: 1, max: 7 }),
        afterMs: fc.integer({ min: 0, max: 4_000 }),
      }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(steps, (all) => {
        const { clock, set } = settableClock()
        const buckets = new Buckets(rate, clock)
        const plain = new Map<string, PlainBucket>()
        let now = clock.now()
        for (const { key, cost, afterMs } of all) {
          set((now += afterMs))
          const alone = plain.get(key) ?? new PlainBucket(rate, now)
          plain.set(key, alone)
          expect(buckets.take(key, cost) === 0).toBe(alone.take(now, cost))
        }
      }),
      {
        numRuns: 500,
        examples: [
          [
            [
              { key: 'a', cost: 6, afterMs: 0 },
              { key: 'b', cost: 1, afterMs: 2_500 },
              { key: 'c', cost: 1, afterMs: 400 },
              { key: 'a', cost: 5, afterMs: 50 },
            ],
          ],
        ],
      },
    )
  })

  it('SND-126 a clock that is set back takes nothing away and blocks nobody', () => {
    const { clock, set } = settableClock()
    const buckets = new Buckets({ perSecond: 1, burst: 3 }, clock)
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 1_000])
    set(clock.now() - 3_600_000)
    expect(buckets.take('a')).toBe(1_000)
    set(clock.now() + 1_000)
    expect(buckets.take('a')).toBe(0)
    set(clock.now() + 60_000)
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 1_000])
  })
})
