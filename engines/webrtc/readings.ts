/**
 * Reads the counters of a connection (W3C webrtc-stats: the identifiers are its), and compares two readings.
 */
import type { Flow, MediumFlow } from '../../protocol/index.ts'
import type { MediaTransceiver, WebRtcMedium } from './media-transceivers.ts'

/** Counters of one medium in one direction. */
export interface Counters {
  readonly packets: number
  readonly bytes: number
  /** Lost packets since the start, as the receiving end counts them. */
  readonly lost: number
  /** Frames decoded or encoded; only of a picture. */
  readonly frames?: number
  readonly level?: number
  readonly jitterMs?: number
}

/** `tx`: this party transmits; `rx`: it receives. */
export type Direction = 'tx' | 'rx'

/** The counters of one call of `getStats`. */
export interface Reading {
  /** Time of the statistics themselves, milliseconds. */
  readonly atMs: number
  readonly counters: ReadonlyMap<`${WebRtcMedium} ${Direction}`, Counters>
  readonly roundTripMs?: number
  /**
   * All that came over the transport: packets of any kind, and questions and answers of ICE
   * (RTCTransportStats, RTCIceCandidatePairStats). 0 where the browser does not count.
   */
  readonly arrivals: number
}

type Stats = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly type: string
  readonly timestamp: number
}

const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const millis = (seconds: unknown): { readonly jitterMs?: number } =>
  typeof seconds === 'number' ? { jitterMs: seconds * 1_000 } : {}
const level = (stats: Stats | undefined): { readonly level?: number } =>
  typeof stats?.['audioLevel'] === 'number' ? { level: stats['audioLevel'] } : {}

/** RTCInboundRtpStreamStats. */
const received = (stats: Stats): Counters => ({
  packets: number(stats['packetsReceived']),
  bytes: number(stats['bytesReceived']),
  lost: Math.max(0, number(stats['packetsLost'])),
  ...(stats['kind'] === 'video' && { frames: number(stats['framesDecoded']) }),
  ...level(stats),
  ...millis(stats['jitter']),
})

/**
 * RTCOutboundRtpStreamStats, with the source's RTCAudioSourceStats and the remote's
 * RTCRemoteInboundRtpStreamStats.
 */
const sent = (stats: Stats, source: Stats | undefined, remote: Stats | undefined): Counters => ({
  packets: number(stats['packetsSent']),
  bytes: number(stats['bytesSent']),
  lost: Math.max(0, number(remote?.['packetsLost'])),
  ...(stats['kind'] === 'video' && { frames: number(stats['framesEncoded']) }),
  ...level(source),
  ...millis(remote?.['jitter']),
})

/** A medium of two lines is what its main line carries: the picture of a screen, not its sound. */
const isMain = ({ medium, kind }: MediaTransceiver): boolean => (medium === 'Voice') === (kind === 'audio')

function roundTrip(all: ReadonlyMap<string, Stats>): { readonly roundTripMs?: number } {
  const transport = [...all.values()].find(({ type }) => type === 'transport')
  const pair =
    all.get(String(transport?.['selectedCandidatePairId'])) ??
    [...all.values()].find((stats) => stats.type === 'candidate-pair' && stats['nominated'] === true)
  const seconds = pair?.['currentRoundTripTime']
  return typeof seconds === 'number' ? { roundTripMs: seconds * 1_000 } : {}
}

/** What the statistics of a connection say of its lines. */
export function read(report: RTCStatsReport, lines: readonly MediaTransceiver[]): Reading {
  const all = new Map<string, Stats>()
  report.forEach((stats: Stats) => all.set(stats.id, stats))
  const byId = (id: unknown): Stats | undefined => (typeof id === 'string' ? all.get(id) : undefined)
  const media = new Map(lines.filter(isMain).map(({ transceiver, medium }) => [transceiver.mid, medium]))
  const counters = new Map<`${WebRtcMedium} ${Direction}`, Counters>()
  let [atMs, arrivals] = [0, 0]
  for (const stats of all.values()) {
    const medium = media.get(stats['mid'] as string)
    if (stats.type === 'transport' || stats.type.endsWith('bound-rtp')) atMs = Math.max(atMs, stats.timestamp)
    if (stats.type === 'transport') arrivals += number(stats['packetsReceived'])
    if (stats.type === 'candidate-pair')
      arrivals += number(stats['requestsReceived']) + number(stats['responsesReceived'])
    if (!medium) continue
    if (stats.type === 'inbound-rtp') counters.set(`${medium} rx`, received(stats))
    if (stats.type === 'outbound-rtp')
      counters.set(`${medium} tx`, sent(stats, byId(stats['mediaSourceId']), byId(stats['remoteId'])))
  }
  return { atMs, counters, arrivals, ...roundTrip(all) }
}

/**
 * Whether something came through from one reading to the next. A picture that nobody sees need not be
 * decoded.
 */
export const hasMoved = (before: Counters, after: Counters, isHidden: boolean): boolean =>
  after.packets !== before.packets &&
  (isHidden || after.frames === undefined || after.frames !== before.frames)

/** Rates of one direction between two readings. */
export function flowBetween(before: Counters, after: Counters, spanMs: number): Omit<Flow, 'isFlowing'> {
  const rate = (change: number): number => (spanMs > 0 ? Math.max(0, (change * 1_000) / spanMs) : 0)
  const [packets, lost] = [Math.max(0, after.packets - before.packets), Math.max(0, after.lost - before.lost)]
  return {
    bitRate: Math.round(rate((after.bytes - before.bytes) * 8)),
    ...(after.frames !== undefined && {
      frameRate: Math.round(rate(after.frames - (before.frames ?? 0)) * 10) / 10,
    }),
    ...(after.level !== undefined && { level: after.level }),
    loss: packets + lost === 0 ? 0 : lost / (packets + lost),
    ...(after.jitterMs !== undefined && { jitterMs: after.jitterMs }),
  }
}

/**
 * How good a call is, 1 to 4.5: the rating of ITU-T G.107 (annex B turns R into a mean opinion score), with
 * the delay of a codec and a jitter buffer, and the robustness against loss of G.113, appendix I (G.711 with
 * concealment). 1 where something does not flow.
 */
export function scoreOf(media: Readonly<Record<string, MediumFlow>>, roundTripMs = 0): number {
  const flows = Object.values(media).flatMap(({ tx, rx }) => [tx, rx].filter((flow) => flow !== undefined))
  if (Object.values(media).some(({ rx }) => rx?.isFlowing === false)) return 1
  const worst = (of: (flow: Flow) => number | undefined): number =>
    Math.max(0, ...flows.map((flow) => of(flow) ?? 0))
  const delayMs = roundTripMs / 2 + 2 * worst(({ jitterMs }) => jitterMs) + 20
  const lossPercent = worst(({ loss }) => loss) * 100
  const rating =
    93.2 - 0.024 * delayMs - 0.11 * Math.max(0, delayMs - 177.3) - (95 * lossPercent) / (lossPercent + 25.1)
  const r = Math.min(100, Math.max(0, rating))
  return Math.round(Math.max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6) * 10) / 10
}
