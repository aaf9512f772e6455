import { describe, expect, it } from 'vitest'
import type { HealingStep } from '../../protocol/index.ts'
import { SILENT_AFTER_MS, SOUND, heal } from '../../engines/webrtc/healing.ts'
import type { Healing } from '../../engines/webrtc/healing.ts'
import type { Line } from '../../engines/webrtc/lines.ts'
import { Observer } from '../../engines/webrtc/observer.ts'
import { scoreOf } from '../../engines/webrtc/readings.ts'
import type { Liveness, Observation } from '../../protocol/index.ts'
import { TestClock } from '../../testing/index.ts'

const all = (): boolean => true

/** Looks once a second, and notes at which second each step is taken. */
function steps(seconds: number, isSilent: (second: number) => boolean, can: (step: HealingStep) => boolean = all): [number, HealingStep | null][] {
  let healing: Healing = SOUND
  const taken: [number, HealingStep | null][] = []
  for (let second = 0; second < seconds; second++) {
    const next = heal(healing, { atMs: second * 1_000, silent: isSilent(second) ? ['Video'] : [], can })
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
    expect(
      steps(
        60,
        () => true,
        (step) => step !== 'relay_only' && step !== 'drop_video',
      ),
    ).toEqual([
      [0, 'ice_restart'],
      [4, 'renegotiation'],
      [8, 'tell_user'],
    ])
  })

  it('ENG-10 media that stop again within ten seconds go on with the next step at once, later they begin anew', () => {
    expect(steps(60, (second) => second < 2 || (second >= 6 && second < 8) || (second >= 30 && second < 32))).toEqual([
      [0, 'ice_restart'],
      [6, 'renegotiation'],
      [18, null],
      [30, 'ice_restart'],
      [42, null],
    ])
  })

  it('ENG-9 a score falls with loss, delay and silence', () => {
    const flow = (loss: number, isFlowing = true) => ({ Voice: { rx: { isFlowing, bitRate: 32_000, loss } } })
    const scores = [scoreOf(flow(0), 20), scoreOf(flow(0.05), 20), scoreOf(flow(0.2), 20), scoreOf(flow(0), 1_200), scoreOf(flow(0, false), 20)]
    expect(scores).toEqual([4.4, 3.9, 2.6, 1.6, 1])
  })
})

/** Statistics of two lines whose counters a test moves. */
class Network {
  atMs = 1_000_000
  packets = { Voice: 0, Video: 0 }
  frames = 0

  pass(ms: number, flowing: readonly ('Voice' | 'Video')[]): void {
    this.atMs += ms
    for (const medium of flowing) this.packets[medium] += ms / 20
    if (flowing.includes('Video')) this.frames += ms / 40
  }

  look = () => ({ stats: Promise.resolve(this.#report()), lines: this.#lines() })

  #lines(): Line[] {
    const line = (medium: 'Voice' | 'Video', kind: 'audio' | 'video', mid: string): Line => ({ medium, kind, group: 0, transceiver: { mid } as RTCRtpTransceiver })
    return [line('Voice', 'audio', '0'), line('Video', 'video', '1')]
  }

  #report(): RTCStatsReport {
    const { atMs, packets, frames } = this
    const inbound = (mid: string, kind: string, packetsReceived: number, more: object) => ({
      id: `in${mid}`,
      type: 'inbound-rtp',
      timestamp: atMs,
      mid,
      kind,
      packetsReceived,
      bytesReceived: packetsReceived * 100,
      packetsLost: 0,
      jitter: 0.002,
      ...more,
    })
    return new Map(
      [
        inbound('0', 'audio', packets.Voice, { audioLevel: 0.5 }),
        inbound('1', 'video', packets.Video, { framesDecoded: frames }),
        { id: 't', type: 'transport', timestamp: atMs, selectedCandidatePairId: 'p' },
        { id: 'p', type: 'candidate-pair', timestamp: atMs, currentRoundTripTime: 0.05 },
      ].map((stats) => [stats.id, stats]),
    ) as unknown as RTCStatsReport
  }
}

describe('the observer', () => {
  const clock = new TestClock()
  const start = () => {
    const network = new Network()
    const observations: Observation[] = []
    const told: (Liveness & { readonly second: number; readonly take: HealingStep | null })[] = []
    let second = 0
    let isUp = true
    const observer = new Observer({
      clock,
      look: () => (isUp ? network.look() : undefined),
      wanted: () => ({ tx: new Set(), rx: new Set(['Voice', 'Video'] as const) }),
      can: all,
      observed: (observation) => void observations.push(observation),
      liveness: (liveness, take) => void told.push({ second, ...liveness, take }),
    })
    observer.start()
    const pass = async (seconds: number, flowing: readonly ('Voice' | 'Video')[]): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        second++
        network.pass(1_000, flowing)
        await clock.advance(1_000)
      }
    }
    return { observer, observations, told, pass, interrupt: (on: boolean) => (isUp = !on) }
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
    expect(observations.at(-1)).toMatchObject({ media: { Voice: { rx: { isFlowing: true } }, Video: { rx: { isFlowing: false, bitRate: 0 } } }, score: 1 })
    await pass(1, ['Voice', 'Video'])
    expect(told.at(-1)).toEqual({ second: 16, silent: [], step: null, take: null })
    observer.stop()
  })

  it('ENG-9 what never came is noticed within 5 s, and an interrupted connection is no silence', async () => {
    const { observer, told, pass, interrupt } = start()
    await pass(5, ['Voice'])
    expect(told).toMatchObject([{ second: 4, silent: ['Video'] }])
    observer.stop()
    observer.start()
    interrupt(true)
    await pass(20, [])
    interrupt(false)
    await pass(10, ['Voice', 'Video'])
    expect(told.length).toBe(1)
    expect(SILENT_AFTER_MS).toBeLessThan(5_000)
    observer.stop()
  })
})
