/** The media of the engine. */
export const WEBRTC_MEDIA = ['Voice', 'Video', 'Screen'] as const

/** A medium that the WebRTC engine carries. */
export type WebRtcMedium = (typeof WEBRTC_MEDIA)[number]

/**
 * One transceiver of the connection. Both sides know this table: its order is the order of the SDP sections,
 * and may only be added to at the end.
 */
export interface MediaTransceiverKind {
  readonly medium: WebRtcMedium
  readonly kind: 'audio' | 'video'
  /** Lines of one group are played in step. */
  readonly group: number
}

/** The transceivers of every connection, in their order. */
export const MEDIA_TRANSCEIVERS: readonly MediaTransceiverKind[] = [
  { medium: 'Voice', kind: 'audio', group: 0 },
  { medium: 'Video', kind: 'video', group: 0 },
  { medium: 'Screen', kind: 'video', group: 1 },
  { medium: 'Screen', kind: 'audio', group: 1 },
]

/** A line of a connection that is there. */
export interface MediaTransceiver extends MediaTransceiverKind {
  readonly transceiver: RTCRtpTransceiver
}

/** Whether the WebRTC engine carries a medium. */
export const isWebRtcMedium = (medium: string): medium is WebRtcMedium =>
  (WEBRTC_MEDIA as readonly string[]).includes(medium)
