import { within } from '../../protocol/index.ts'
import type { Clock, HealingStep, Liveness, MediumFlow, Observation } from '../../protocol/index.ts'
import { LOOK_EVERY_MS, SILENT_AFTER_MS, UNSURE_AFTER_MS } from './limits.ts'
import { SOUND, nextRecovery } from './media-recovery.ts'
import type { MediaRecovery } from './media-recovery.ts'
import type { MediaTransceiver, WebRtcMedium } from './media-transceivers.ts'
import { flowBetween, hasMoved, read, scoreOf } from './readings.ts'
import type { Direction, Reading } from './readings.ts'

/** Media that must flow while they are on. A screen that does not change may send nothing. */
const STEADY: ReadonlySet<WebRtcMedium> = new Set(['Voice', 'Video'])

export interface ObserverOptions {
  readonly clock: Clock
  /** Statistics and lines of the connection that is up; nothing while there is none. */
  readonly look: () =>
    | { readonly stats: Promise<RTCStatsReport>; readonly lines: readonly MediaTransceiver[] }
    | undefined
  /** Media that are on. */
  readonly wanted: () => Readonly<Record<Direction, ReadonlySet<WebRtcMedium>>>
  readonly can: (step: HealingStep) => boolean
  readonly observed: (observation: Observation) => void
  /** Whether anything arrives over the connection that is up. */
  readonly arrives: (on: boolean) => void
  /** Silent media are others than before, or `take` is to be taken now. */
  readonly liveness: (liveness: Liveness, take: HealingStep | null) => void
}

/**
 * Reads the statistics once a second, reports what flows, and decides the next step for media that do not.
 */
export class Observer {
  readonly #options: ObserverOptions
  readonly #movedAtMs = new Map<string, number>()
  /** The reading before, and when it was taken. While the connection is down, what would be read. */
  #last: { readonly reading: Reading; readonly at: number } | undefined
  #arrivedAtMs = 0
  #healing = SOUND
  #timer: unknown
  #round = 0
  /** Aborted by `stop`. */
  #stopping = new AbortController()

  constructor(options: ObserverOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#timer === undefined) this.#again()
  }

  stop(): void {
    this.#round++
    this.#stopping.abort()
    this.#stopping = new AbortController()
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#last = undefined
    this.#movedAtMs.clear()
    this.#healing = SOUND
  }

  #again(): void {
    this.#timer = this.#options.clock.setTimeout(() => void this.#run(), LOOK_EVERY_MS)
  }

  async #run(): Promise<void> {
    const round = this.#round
    const look = this.#options.look()
    const limit = { ms: LOOK_EVERY_MS, clock: this.#options.clock, over: this.#stopping.signal }
    const report = look && (await within(look.stats, limit).catch(() => undefined))
    if (round !== this.#round) return
    const now = this.#options.clock.now()
    const last = this.#last
    const reading = look
      ? report && read(report, look.lines)
      : last && { ...last.reading, atMs: last.reading.atMs + now - last.at }
    if (reading) {
      this.#last = { reading, at: now }
      if (last && reading.atMs > last.reading.atMs) this.#compare(last.reading, reading, look !== undefined)
    }
    if (round === this.#round) this.#again()
  }

  #compare(before: Reading, after: Reading, isUp: boolean): void {
    const media = this.#flows(before, after)
    const { roundTripMs } = after
    this.#options.observed({
      media,
      ...(roundTripMs !== undefined && { roundTripMs }),
      score: scoreOf(media, roundTripMs),
    })
    const silent = [...STEADY].filter((medium) => media[medium]?.rx?.isFlowing === false)
    if (!isUp || after.arrivals === 0 || after.arrivals > before.arrivals) this.#arrivedAtMs = after.atMs
    const stillMs = after.atMs - this.#arrivedAtMs
    const isCut = !isUp || (silent.length > 0 && stillMs >= SILENT_AFTER_MS)
    // Video is given up only for a Voice that arrives. No step is taken before it is known whether anything
    // arrives.
    const isHeard = media.Voice?.rx?.isFlowing === true
    const can = (step: HealingStep): boolean =>
      stillMs < UNSURE_AFTER_MS && (step !== 'drop_video' || isHeard) && this.#options.can(step)
    this.#tell(nextRecovery(this.#healing, { atMs: after.atMs, silent, isCut, can }), isCut)
    if (isUp) this.#options.arrives(!isCut)
  }

  #tell(healing: MediaRecovery, isCut: boolean): void {
    const before = this.#healing
    this.#healing = healing
    const { silent } = healing
    const step = silent.length > 0 ? healing.step : null
    const isStep = step !== null && step !== before.step
    if (isStep || silent.join() !== before.silent.join())
      this.#options.liveness({ silent, step }, isStep && !isCut ? step : null)
  }

  #flows(before: Reading, after: Reading): Record<string, MediumFlow> {
    const wanted = this.#options.wanted()
    const media: Record<string, MediumFlow> = {}
    const seen = new Set<string>()
    for (const direction of ['tx', 'rx'] as const) {
      for (const medium of wanted[direction]) {
        const key = `${medium} ${direction}` as const
        const none = { packets: 0, bytes: 0, lost: 0 }
        const [was, is] = [before.counters.get(key) ?? none, after.counters.get(key) ?? none]
        if (hasMoved(was, is, isHidden())) this.#movedAtMs.set(key, after.atMs)
        else if (!this.#movedAtMs.has(key)) this.#movedAtMs.set(key, before.atMs)
        seen.add(key)
        const isFlowing = after.atMs - (this.#movedAtMs.get(key) ?? 0) < SILENT_AFTER_MS
        media[medium] = {
          ...media[medium],
          [direction]: { isFlowing, ...flowBetween(was, is, after.atMs - before.atMs) },
        }
      }
    }
    for (const key of this.#movedAtMs.keys()) if (!seen.has(key)) this.#movedAtMs.delete(key)
    return media
  }
}

/** A browser need not decode a picture that a hidden page does not show. */
const isHidden = (): boolean => typeof document !== 'undefined' && document.visibilityState === 'hidden'
