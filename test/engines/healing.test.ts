import { describe, expect, it } from 'vitest'
import type { HealingStep } from '../../protocol/index.ts'
import { SILENT_AFTER_MS } from '../../engines/webrtc/limits.ts'
import { SOUND, nextRecovery } from '../../engines/webrtc/media-recovery.ts'
import type { MediaRecovery } from '../../engines/webrtc/media-recovery.ts'
import { Observer } from '../../engines/webrtc/observer.ts'
import { scoreOf } from '../../engines/webrtc/readings.ts'
import type { Liveness, Observation } from '../../protocol/index.ts'
import { TestClock } from '../../testing/index.ts'
import { Counters } from '../support/counters.ts'

const all = (): boolean => true

/** Looks once a second, and notes at which second each step is taken. */
function steps(
  seconds: number,
  isSilent: (second: number) => boolean,
  {
    can = all,
    isCut = () => false,
  }: { readonly can?: (step: HealingStep) => boolean; readonly isCut?: (second: number) => boolean } = {},
): [number, HealingStep | null][] {
  let healing: MediaRecovery = SOUND
  const taken: [number, HealingStep | null][] = []
  for (let second = 0; second < seconds; second++) {
    const next = nextRecovery(healing, {
      atMs: second * 1_000,
      silent: isSilent(second) ? ['Video'] : [],
      isCut: isCut(second),
      can,
    })
    if (next.step !== healing.step) taken.push([second, next.step])
    healing = next
  }
  return taken
}

describe('the rules of healing', () => {
  it('ENG-10 silence that nothing ends takes every step once, in order, and then leaves it to the user', () => {
    expect(steps(600, () => true)).toEqual([
      [0, 'ice_restart'],
      [4, 'renegotiation'],
      [8, 'relay_only'],
      [14, 'drop_video'],
      [18, 'tell_user'],
    ])
  })

  it('ENG-10 steps that cannot be taken are left out', () => {
    expect(steps(60, () => true, { can: (step) => step !== 'relay_only' && step !== 'drop_video' })).toEqual([
      [0, 'ice_restart'],
      [4, 'renegotiation'],
      [8, 'tell_user'],
    ])
  })

  it('ENG-10 media that stop again within ten seconds go on with the next step at once, later they begin anew', () => {
    expect(
      steps(60, (second) => second < 2 || (second >= 6 && second < 8) || (second >= 30 && second < 32)),
    ).toEqual([
      [0, 'ice_restart'],
      [6, 'renegotiation'],
      [18, null],
      [30, 'ice_restart'],
      [42, null],
    ])
  })

  it('ENG-10 ENG-18 while nothing arrives at all nothing but ICE restarts is right, again and again; the other steps wait until something arrives', () => {
    const isCut = (second: number): boolean => second < 30 || (second >= 40 && second < 60)
    expect(steps(60, isCut, { isCut })).toEqual([[0, 'ice_restart']])
    expect(steps(90, (second) => second < 36 || second >= 40, { isCut })).toEqual([
      [0, 'ice_restart'],
      [33, 'renegotiation'],
      [40, 'ice_restart'],
      [63, 'renegotiation'],
      [67, 'relay_only'],
      [73, 'drop_video'],
      [77, 'tell_user'],
    ])
  })

  it('ENG-9 a score falls with loss, delay and silence', () => {
    const flow = (loss: number, isFlowing = true) => ({ Voice: { rx: { isFlowing, bitRate: 32_000, loss } } })
    const scores = [
      scoreOf(flow(0), 20),
      scoreOf(flow(0.05), 20),
      scoreOf(flow(0.2), 20),
      scoreOf(flow(0), 1_200),
      scoreOf(flow(0, false), 20),
    ]
    expect(scores).toEqual([4.4, 3.9, 2.6, 1.6, 1])
  })
})

describe('the observer', () => {
  const clock = new TestClock()
  const start = () => {
    const counters = new Counters()
    const observations: Observation[] = []
    const told: (Liveness & { readonly second: number; readonly take: HealingStep | null })[] = []
    const arrivals: boolean[] = []
    let second = 0
    let isUp = true
    const observer = new Observer({
      clock,
      look: () => (isUp ? counters.look() : undefined),
      wanted: () => ({ tx: new Set(), rx: new Set(['Voice', 'Video'] as const) }),
      can: all,
      observed: (observation) => void observations.push(observation),
      arrives: (on) => void (arrivals.at(-1) !== on && arrivals.push(on)),
      liveness: (liveness, take) => void told.push({ second, ...liveness, take }),
    })
    observer.start()
    const pass = async (
      seconds: number,
      flowing: readonly ('Voice' | 'Video')[],
      isCut = false,
    ): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        second++
        counters.pass(1_000, flowing, isCut)
        await clock.advance(1_000)
      }
    }
    return { observer, observations, told, arrivals, pass, interrupt: (on: boolean) => (isUp = !on) }
  }

  it('ENG-9 tells once a second what flows, at what rates', async () => {
    const { observer, observations, told, pass } = start()
    await pass(10, ['Voice', 'Video'])
    expect(observations.length).toBe(9)
    expect(observations.at(-1)).toEqual({
      media: {
        Voice: { rx: { isFlowing: true, bitRate: 40_000, level: 0.5, loss: 0, jitterMs: 2 } },
        Video: { rx: { isFlowing: true, bitRate: 40_000, frameRate: 25, loss: 0, jitterMs: 2 } },
      },
      roundTripMs: 50,
      score: 4.4,
    })
    observer.stop()
    expect([told, clock.pending]).toEqual([[], 0])
  })

  it('ENG-9 ENG-10 a picture that stops is noticed within 5 s, while its sound flows; the steps follow, and flow ends them', async () => {
    const { observer, observations, told, pass } = start()
    await pass(5, ['Voice', 'Video'])
    await pass(10, ['Voice'])
    expect(told).toEqual([
      { second: 8, silent: ['Video'], step: 'ice_restart', take: 'ice_restart' },
      { second: 12, silent: ['Video'], step: 'renegotiation', take: 'renegotiation' },
    ])
    expect(observations.at(-1)).toMatchObject({
      media: { Voice: { rx: { isFlowing: true } }, Video: { rx: { isFlowing: false, bitRate: 0 } } },
      score: 1,
    })
    await pass(1, ['Voice', 'Video'])
    expect(told.at(-1)).toEqual({ second: 16, silent: [], step: null, take: null })
    observer.stop()
  })

  it('ENG-9 what never came is noticed within 5 s', async () => {
    const { observer, told, pass } = start()
    await pass(5, ['Voice'])
    expect(told).toMatchObject([{ second: 4, silent: ['Video'] }])
    expect(SILENT_AFTER_MS).toBeLessThan(5_000)
    observer.stop()
  })

  it('ENG-9 ENG-18 nothing that arrives is a loss of the network, the second time as the first: no step is taken, and no picture is given up when it comes later than the sound', async () => {
    const { observer, told, arrivals, pass } = start()
    await pass(5, ['Voice', 'Video'])
    await pass(9, [], true)
    await pass(2, ['Voice'])
    await pass(1, ['Voice', 'Video'])
    expect(told).toEqual([
      { second: 8, silent: ['Voice', 'Video'], step: 'ice_restart', take: null },
      { second: 15, silent: ['Video'], step: 'ice_restart', take: null },
      { second: 17, silent: [], step: null, take: null },
    ])
    await pass(10, [], true)
    await pass(2, ['Voice'])
    await pass(5, ['Voice', 'Video'])
    expect(told.slice(3)).toEqual([
      { second: 20, silent: ['Voice', 'Video'], step: 'ice_restart', take: null },
      { second: 28, silent: ['Video'], step: 'ice_restart', take: null },
      { second: 30, silent: [], step: null, take: null },
    ])
    expect(arrivals).toEqual([true, false, true, false, true])
    observer.stop()
  })

  it('ENG-9 ENG-10 media of a connection that is interrupted do not flow, and that is told; the other steps begin when it is up again', async () => {
    const { observer, observations, told, arrivals, pass, interrupt } = start()
    await pass(5, ['Voice', 'Video'])
    interrupt(true)
    await pass(2, [])
    expect(told).toEqual([])
    await pass(18, [])
    expect(observations.at(-1)).toMatchObject({
      media: { Voice: { rx: { isFlowing: false, bitRate: 0 } } },
      score: 1,
    })
    interrupt(false)
    await pass(5, ['Voice'])
    expect(told).toEqual([
      { second: 8, silent: ['Voice', 'Video'], step: 'ice_restart', take: null },
      { second: 26, silent: ['Video'], step: 'ice_restart', take: null },
      { second: 29, silent: ['Video'], step: 'renegotiation', take: 'renegotiation' },
    ])
    expect(arrivals).toEqual([true])
    observer.stop()
  })
})
