/** Engines that carry the media of a contact, and the interface for one's own. */
export { NativeEngine, detectAvailability, detectMobile, detectWebRtc, partOf } from './light.ts'
export type { BrowserLike, EngineEvent, EngineHost, EngineTransition, MediaEngine } from './light.ts'
export { WebRtcEngine } from './webrtc/index.ts'
export type { CaptureDevices, WebRtcImplementation, WebRtcOptions } from './webrtc/index.ts'
