/** Engines that carry the media of a contact, and the interface for one's own. */
export { NativeEngine, detectMobile, detectWebRtc, partOf } from './light.ts'
export type { EngineEvent, EngineHost, EngineTransition, MediaEngine } from './light.ts'
export type { BrowserLike } from './webrtc/detect.ts'
export type { CaptureDevices, WebRtcImplementation, WebRtcOptions } from './webrtc/environment.ts'
export { WebRtcEngine } from './webrtc/index.ts'
