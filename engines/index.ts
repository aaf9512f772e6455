/**
 * Engines that carry the media of a contact, and the interface for one's own.
 *
 * @module duolog/engines
 */
export * from './eager.ts'
export { Playback } from './playback.ts'
export type { PlaybackState, Player } from './playback.ts'
export { WebRtcEngine, webRtcPipes } from './webrtc/index.ts'
export type { CaptureDevices, Device, WebRtcImplementation, WebRtcOptions } from './webrtc/index.ts'
