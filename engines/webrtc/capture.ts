import type { Environment } from './environment.ts'
import type { MediaTransceiverKind, WebRtcMedium } from './media-transceivers.ts'

/** Media whose device can be chosen. */
export type CaptureMedium = 'Voice' | 'Video'

/** Media that can be muted. */
export const MUTABLE: readonly CaptureMedium[] = ['Voice', 'Video']

/** The kind of track that a medium needs of its device. */
export const KINDS = { Voice: 'audio', Video: 'video' } as const

/** A device in use. */
export interface Capture {
  /** What is captured. Applications have the stream, and may change what is in it. */
  readonly tracks: readonly MediaStreamTrack[]
  readonly stream: MediaStream
  /** The device that was asked for by name; null: the system's choice. */
  readonly asked: string | null
  readonly deviceId: string | undefined
  readonly groupId: string | undefined
  /** Stops listening to the device. */
  readonly unwatch: () => void
}

export interface CaptureWatch {
  /** The main track ended by itself: unplugged, or stopped by the user at the browser. */
  readonly onEnded: () => void
  /**
   * The system has muted or unmuted the main track; a page never does (W3C mediacapture-main, section 4.3.1).
   */
  readonly onMuted: () => void
}

/** Stops tracks, which gives their devices back. */
export const stopAll = (tracks: readonly MediaStreamTrack[]): void => tracks.forEach((track) => track.stop())

/**
 * Tracks of a device as a capture, watched until `unwatch`. Its main track is the picture where there is one.
 */
export function makeCapture(
  implementation: NonNullable<Environment['implementation']>,
  {
    medium,
    tracks,
    asked,
  }: {
    readonly medium: WebRtcMedium
    readonly tracks: readonly MediaStreamTrack[]
    readonly asked: string | null
  },
  { onEnded, onMuted }: CaptureWatch,
): Capture {
  const main = tracks.find(({ kind }) => kind === (medium === 'Voice' ? 'audio' : 'video'))
  // Text stays readable on a screen that is shared (W3C mst-content-hint).
  if (medium === 'Screen' && main && 'contentHint' in main) main.contentHint = 'detail'
  const listen = (how: 'addEventListener' | 'removeEventListener'): void => {
    for (const [name, run] of Object.entries({ ended: onEnded, mute: onMuted, unmute: onMuted }))
      main?.[how](name, run)
  }
  listen('addEventListener')
  const { deviceId, groupId } = main?.getSettings() ?? {}
  return {
    tracks,
    stream: new implementation.MediaStream([...tracks]),
    asked,
    deviceId,
    groupId,
    unwatch: () => listen('removeEventListener'),
  }
}

/** Ends a capture, and gives its device back. */
export function endCapture({ unwatch, tracks }: Capture): void {
  unwatch()
  stopAll(tracks)
}

/** The track of a capture for one transceiver. */
export const trackOf = (
  capture: Capture | undefined,
  { kind }: MediaTransceiverKind,
): MediaStreamTrack | null => capture?.tracks.find((track) => track.kind === kind) ?? null

/** Whether the device still gives something. */
export const isLive = (capture: Capture | undefined): boolean =>
  capture?.tracks.some(({ readyState }) => readyState === 'live') === true

/** Whether the system has taken the device for something else. */
export const isInterrupted = (capture: Capture | undefined): boolean =>
  capture?.tracks.some(({ muted }) => muted) === true
