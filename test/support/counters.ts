import type { MediaTransceiver } from '../../engines/webrtc/media-transceivers.ts'

/** Statistics of two lines whose counters a test moves. */
export class Counters {
  atMs = 1_000_000
  packets = { Voice: 0, Video: 0 }
  frames = 0
  /** Answers to connectivity checks. */
  answers = 0

  pass(ms: number, flowing: readonly ('Voice' | 'Video')[], isCut = false): void {
    this.atMs += ms
    if (!isCut) this.answers++
    for (const medium of flowing) this.packets[medium] += ms / 20
    if (flowing.includes('Video')) this.frames += ms / 40
  }

  look = () => ({ stats: Promise.resolve(this.report()), lines: this.#lines() })

  report(): RTCStatsReport {
    const { atMs, packets, frames, answers } = this
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
        {
          id: 'p',
          type: 'candidate-pair',
          timestamp: atMs,
          currentRoundTripTime: 0.05,
          requestsReceived: 7,
          responsesReceived: answers,
        },
      ].map((stats) => [stats.id, stats]),
    ) as unknown as RTCStatsReport
  }

  #lines(): MediaTransceiver[] {
    const line = (medium: 'Voice' | 'Video', kind: 'audio' | 'video', mid: string): MediaTransceiver => ({
      medium,
      kind,
      group: 0,
      transceiver: { mid } as RTCRtpTransceiver,
    })
    return [line('Voice', 'audio', '0'), line('Video', 'video', '1')]
  }
}
