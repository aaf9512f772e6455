import type { CallSummary, HealingStep, Liveness, MediaState, Observation } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { Delivery } from '../contact/event-queue.ts'
import { showFlows } from '../inspection/inspected-flows.ts'

export interface CallStatisticsOptions {
  readonly contact: string
  readonly delivery: Delivery
  readonly inspect?: Inspect | undefined
}

/** Between two looks that are told, milliseconds: an engine that tells more often is not heard more often. */
const MIN_BETWEEN_MS = 950

interface Sum {
  bits: number
  looks: number
}

/** What is known of a call that runs. */
interface Call {
  readonly startedAtMs: number
  lastAtMs: number
  looks: number
  scores: number
  lowest: number
  roundTripMs: number | undefined
  readonly media: Map<string, { tx?: Sum; rx?: Sum }>
  readonly healing: HealingStep[]
}

/**
 * Tells what the engines see of their media, loaded when there is something to tell: at most once a second
 * during a call, and as a whole when its last medium is off.
 */
export class CallStatistics {
  readonly #calls = new Map<string, Call>()
  readonly #delivery: Delivery
  readonly #show: ReturnType<typeof showFlows>

  constructor({ contact, delivery, inspect }: CallStatisticsOptions) {
    this.#delivery = delivery
    this.#show = showFlows(contact, inspect)
  }

  /** What an engine saw at `now`, milliseconds of the clock. */
  observed(engine: string, observation: Observation, now: number): void {
    this.#show(engine, observation)
    const known = this.#calls.get(engine)
    if (known && known.looks > 0 && now - known.lastAtMs < MIN_BETWEEN_MS) return
    const call = known ?? this.#begin(engine, now)
    call.lastAtMs = now
    call.looks++
    call.scores += observation.score
    call.lowest = Math.min(call.lowest, observation.score)
    if (observation.roundTripMs !== undefined)
      call.roundTripMs = Math.max(call.roundTripMs ?? 0, observation.roundTripMs)
    for (const [medium, flows] of Object.entries(observation.media)) add(call.media, medium, flows)
    this.#delivery.emit('statistics', { engine, ...observation })
  }

  liveness(engine: string, { silent, step }: Liveness, now: number): void {
    const call = this.#calls.get(engine) ?? this.#begin(engine, now)
    if (step !== null && call.healing.at(-1) !== step) call.healing.push(step)
    this.#delivery.emit('liveness', { engine, silent, step })
  }

  /** The media are these now: calls of engines that carry none are over. */
  mediaAre(media: MediaState): void {
    const carrying = new Set(
      Object.values(media).flatMap((details) =>
        details && (details.tx || details.rx) ? [details.engine] : [],
      ),
    )
    for (const [engine, call] of [...this.#calls]) {
      if (carrying.has(engine)) continue
      this.#calls.delete(engine)
      if (call.looks > 0) this.#delivery.emit('callsummary', summaryOf(engine, call))
    }
  }

  #begin(engine: string, now: number): Call {
    const call: Call = {
      startedAtMs: now,
      lastAtMs: now,
      looks: 0,
      scores: 0,
      lowest: Number.POSITIVE_INFINITY,
      roundTripMs: undefined,
      media: new Map(),
      healing: [],
    }
    this.#calls.set(engine, call)
    return call
  }
}

function add(media: Call['media'], medium: string, flows: Observation['media'][string]): void {
  const sums = media.get(medium) ?? {}
  for (const direction of ['tx', 'rx'] as const) {
    const flow = flows[direction]
    if (!flow) continue
    const sum = (sums[direction] ??= { bits: 0, looks: 0 })
    sum.bits += flow.bitRate
    sum.looks++
  }
  media.set(medium, sums)
}

const mean = ({ bits, looks }: Sum): number => Math.round(bits / looks)

const summaryOf = (
  engine: string,
  { startedAtMs, lastAtMs, looks, scores, lowest, roundTripMs, media, healing }: Call,
): CallSummary => ({
  engine,
  durationMs: Math.round(lastAtMs - startedAtMs),
  score: { mean: Math.round((scores / looks) * 10) / 10, lowest },
  ...(roundTripMs !== undefined && { roundTripMs }),
  media: Object.fromEntries(
    [...media].map(([medium, { tx, rx }]) => [
      medium,
      { ...(tx && { tx: mean(tx) }), ...(rx && { rx: mean(rx) }) },
    ]),
  ),
  healing,
})
