/** Rates of several nodes: what is taken at one counts at the others. */
import { describe, expect, it } from 'vitest'
import { SharedRates } from '../../../service/src/cluster/shared-rates.ts'
import { RateLimits } from '../../../service/src/limits/rate-limits.ts'
import { ManualClock } from '../../support/manual-clock.ts'

type Used = { readonly used: Readonly<Record<string, number>> }

/** Nodes on one bus, whose time is one. */
function nodes(count: number) {
  const clock = new ManualClock()
  const bus = { isUp: true, messages: [] as Used[] }
  const takers: ((body: Used) => void)[] = []
  const states = Array.from({ length: count }, () => ({ state: 'up' as const }))
  const all = Array.from({ length: count }, (_, index) => {
    const rates = new RateLimits({ contacts: { perSecond: 1, burst: 10 } }, clock)
    const shared = new SharedRates({
      ...{ rates, clock, nodes: () => states },
      link: {
        isAlone: count === 1,
        get isUp() {
          return bus.isUp
        },
        on: (_kind, run) => void (takers[index] = run as never),
        tellAll: (_kind, body) => {
          if (!bus.isUp) return 'offline'
          bus.messages.push(body as Used)
          takers.forEach((take, other) => other !== index && take(body as Used))
          return 'sent'
        },
      },
    })
    return { rates, shared }
  })
  for (const { shared } of all) shared.start()
  /** How often a key may at a node. */
  const takes = (node: number, key: string, most = 100): number => {
    for (let taken = 0; taken < most; taken += 1)
      try {
        all[node]?.rates.take('contacts', key)
      } catch {
        return taken
      }
    return most
  }
  return { clock, bus, takes, all }
}

describe('rates among several nodes', () => {
  it('CLU-108 what is taken of a key with less than half left counts at the others within a second', () => {
    const { clock, takes } = nodes(3)
    expect(takes(0, 'v')).toBe(10)
    clock.advance(1_000)
    expect([takes(1, 'v'), takes(2, 'v'), takes(2, 'other')]).toEqual([0, 0, 10])
    clock.advance(1_000)
    // What comes back in a second is all that there is.
    expect(takes(1, 'v')).toBe(1)
  })

  it('CLU-108 nothing is told of keys that have half of it left, and all that they took when they have less', () => {
    const { clock, takes, bus } = nodes(2)
    takes(0, 'v', 5)
    clock.advance(1_000)
    expect(bus.messages).toEqual([])
    takes(0, 'v', 3)
    clock.advance(1_000)
    expect(bus.messages).toEqual([{ used: { 'contacts v': 8 } }])
    clock.advance(1_000)
    expect(bus.messages).toHaveLength(1)
  })

  it('CLU-109 while the bus is down each node gives its part of the rate', () => {
    const { clock, takes, bus } = nodes(2)
    bus.isUp = false
    clock.advance(1_000)
    for (const node of [0, 1]) takes(node, 'v')
    clock.advance(4_000)
    expect([takes(0, 'v'), takes(1, 'v')]).toEqual([2, 2])
    bus.isUp = true
    clock.advance(20_000)
    takes(0, 'v')
    clock.advance(4_000)
    expect(takes(0, 'v')).toBe(4)
  })

  it('CLU-108 who has the store for itself tells nobody, and keeps nothing to tell', () => {
    const { clock, takes, bus, all } = nodes(1)
    takes(0, 'v')
    clock.advance(2_000)
    expect([bus.messages, all[0]?.rates.untold()]).toEqual([[], []])
  })
})
