import { describe, expect, it } from 'vitest'
import {
  CLUSTER_TIMES,
  NOTHING_OBSERVED,
  afterBeat,
  afterBreak,
  deadNodes,
  isIsolated,
  isReady,
  isSettled,
  pollAfterMs,
} from '../../../service/src/cluster/node-rules.ts'
import type { NodeRow, Observation } from '../../../service/src/cluster/node-rules.ts'
import { isSuperseded, isSwept } from '../../../service/src/cluster/session-rules.ts'
import { canBeAsked, isConnected, mayClaim, offerOutcome } from '../../../service/src/cluster/work-rules.ts'

const { beatMs, leaseMs, settleMs, unreadyMs, isolationMs, pollMs, pollWithoutBusMs } = CLUSTER_TIMES
/** As the service has them today: a connection that answers no ping, a session or an agent without one. */
const [PING_MS, GRACE_MS, RECONNECTION_MS] = [20_000, 60_000, 2_000]
const row = (node: string, beat: number, state: NodeRow['state'] = 'up'): NodeRow => ({ node, beat, state })

/** Observes from 0 on, a beat each 2 s, the rows that stand at each time. */
function observe(
  untilMs: number,
  rowsAt: (now: number) => readonly NodeRow[],
  from = NOTHING_OBSERVED,
): Observation {
  let observation = from
  for (let now = from.lastBeat === null ? 0 : from.lastBeat + beatMs; now <= untilMs; now += beatMs) {
    const next = afterBeat(observation, 'a', { rows: [row('a', now), ...rowsAt(now)], now })
    if (!next) throw new Error('the node is dead')
    observation = next
  }
  return observation
}

describe('the times of a cluster', () => {
  it('CLU-20 each follows from the others', () => {
    expect(leaseMs).toBeGreaterThanOrEqual(7 * beatMs)
    expect(settleMs).toBeGreaterThan(pollMs + RECONNECTION_MS)
    expect(isolationMs + RECONNECTION_MS).toBeLessThan(leaseMs + GRACE_MS)
    expect(PING_MS + RECONNECTION_MS).toBeLessThan(GRACE_MS)
    expect(unreadyMs).toBeLessThan(isolationMs)
    expect([pollAfterMs(true), pollAfterMs(false)]).toEqual([pollMs, pollWithoutBusMs])
  })
})

describe('who is dead', () => {
  it('CLU-21 a node whose beat stands still for 15 s, not before', () => {
    const silent = (untilMs: number) => observe(untilMs, () => [row('b', 7)])
    expect(deadNodes(silent(14_000), 14_999)).toEqual([])
    expect(deadNodes(silent(14_000), 15_000)).toEqual([{ node: 'b', beat: 7 }])
  })

  it('CLU-21 not a node that beats, and not one that is dead already or gone', () => {
    expect(
      deadNodes(
        observe(60_000, (now) => [row('b', now)]),
        60_000,
      ),
    ).toEqual([])
    expect(
      deadNodes(
        observe(60_000, () => [row('b', 7, 'dead')]),
        60_000,
      ),
    ).toEqual([])
    expect(
      deadNodes(
        observe(60_000, (now) => (now < 10_000 ? [row('b', 7)] : [])),
        60_000,
      ),
    ).toEqual([])
    expect(
      deadNodes(
        observe(60_000, () => [row('b', 7, 'draining')]),
        60_000,
      ),
    ).toHaveLength(1)
  })

  it('CLU-22 a failed statement begins every observation anew, however often it comes', () => {
    const observed = afterBreak(observe(14_000, () => [row('b', 7)]))
    expect(deadNodes(observed, 99_000)).toEqual([])
    const later = observe(28_000, () => [row('b', 7)], observed)
    expect(deadNodes(later, 28_000)).toEqual([])
    expect(deadNodes(later, 31_000)).toEqual([{ node: 'b', beat: 7 }])
  })

  it('CLU-22 so does a gap of more than two beats between own beats', () => {
    const observed = observe(14_000, () => [row('b', 7)])
    const next = (now: number) => afterBeat(observed, 'a', { rows: [row('a', 1), row('b', 7)], now })
    expect(deadNodes(next(18_000) as Observation, 18_000)).toHaveLength(1)
    expect(deadNodes(next(18_001) as Observation, 18_001)).toEqual([])
  })

  it('CLU-23 a node without a row of its own that is alive is dead itself', () => {
    const observed = observe(2_000, () => [])
    expect(afterBeat(observed, 'a', { rows: [row('b', 1)], now: 4_000 })).toBeNull()
    expect(afterBeat(observed, 'a', { rows: [row('a', 1, 'dead')], now: 4_000 })).toBeNull()
    expect(afterBeat(observed, 'a', { rows: [row('a', 1, 'draining')], now: 4_000 })).not.toBeNull()
  })
})

describe('who acts on silence', () => {
  it('CLU-24 a node in unbroken touch with the store for 15 s', () => {
    const observed = observe(16_000, () => [])
    expect(
      isSettled(
        observe(14_000, () => []),
        14_999,
      ),
    ).toBe(false)
    expect(isSettled(observed, 16_000)).toBe(true)
    expect(isSettled(observed, 20_001)).toBe(false)
    expect(isSettled(afterBreak(observed), 16_000)).toBe(false)
    expect(isSettled(NOTHING_OBSERVED, 99_000)).toBe(false)
  })
})

describe('a node that is out of touch', () => {
  it('CLU-25 is not ready 10 s after its last beat, nor while it drains', () => {
    const observed = observe(4_000, () => [])
    expect(isReady(observed, 'up', 13_999)).toBe(true)
    expect(isReady(observed, 'up', 14_000)).toBe(false)
    expect(isReady(observed, 'draining', 4_000)).toBe(false)
    expect(isReady(NOTHING_OBSERVED, 'up', 0)).toBe(false)
  })

  it.each([
    [true, true, true],
    [true, false, true],
    [false, false, true],
    [false, true, false],
  ])(
    'CLU-26 20 s after its last beat: hears beats %s, bus up %s: isolated %s',
    (hearsBeats, isBusUp, expected) => {
      const observed = afterBreak(observe(4_000, () => []))
      expect(isIsolated(observed, 23_999, { hearsBeats, isBusUp })).toBe(false)
      expect(isIsolated(observed, 24_000, { hearsBeats, isBusUp })).toBe(expected)
    },
  )
})

describe('sessions', () => {
  it('CLU-27 are swept where their node is dead, and only there', () => {
    const nodes = new Map([
      ['up', 'up'],
      ['draining', 'draining'],
      ['dead', 'dead'],
    ] as const)
    const swept = [...nodes.keys(), 'gone', null].filter((node) => isSwept({ node, epoch: 1 }, nodes))
    expect(swept).toEqual(['dead'])
  })

  it('CLU-27 a channel ends where another opening or node has its session, or nobody', () => {
    const own = { node: 'a', epoch: 2 }
    expect(isSuperseded({ node: 'a', epoch: 2 }, own)).toBe(false)
    for (const place of [
      { node: 'b', epoch: 2 },
      { node: 'a', epoch: 3 },
      { node: null, epoch: 2 },
    ])
      expect(isSuperseded(place, own)).toBe(true)
  })
})

describe('work', () => {
  const nodes = new Map([
    ['up', 'up'],
    ['draining', 'draining'],
    ['dead', 'dead'],
  ] as const)

  it('CLU-28 a timer is claimed where nobody alive has it, one about absence by who has settled', () => {
    const claims = (owner: string | null, isAbsence: boolean, isSettledNow: boolean) =>
      mayClaim({ owner, isAbsence }, nodes, isSettledNow)
    expect([null, 'dead', 'gone', 'up', 'draining'].map((owner) => claims(owner, false, false))).toEqual([
      ...[true, true, true],
      ...[false, false],
    ])
    expect([claims(null, true, false), claims(null, true, true), claims('up', true, true)]).toEqual([
      ...[false, true, false],
    ])
  })

  it('CLU-29 an agent is asked who has a connection at a node that takes new work', () => {
    expect(
      [['up'], ['dead', 'up'], ['draining'], ['dead'], ['gone'], []].map((at) => canBeAsked(at, nodes)),
    ).toEqual([true, true, false, false, false, false])
    expect([isConnected(['draining']), isConnected([])]).toEqual([true, false])
  })

  it('CLU-29 an offer pauses whom it has reached, and is taken back where nobody was told', () => {
    const outcome = (told: boolean, seen: boolean, now: number) =>
      offerOutcome({ madeAt: 0, due: 30_000, told, seen }, now)
    expect([outcome(false, false, 2_999), outcome(false, false, 3_000)]).toEqual(['stands', 'take-back'])
    expect([outcome(true, false, 29_999), outcome(true, true, 29_999)]).toEqual(['stands', 'stands'])
    expect([outcome(true, false, 30_000), outcome(true, true, 30_000)]).toEqual(['end', 'pause'])
  })
})
