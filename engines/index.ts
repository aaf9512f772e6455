/** Engines that carry the media of a contact, and the interface for one's own. */
export { partOf } from './media-engine.ts'
export type { EngineEvent, EngineHost, EngineTransition, MediaEngine } from './media-engine.ts'
export { NativeEngine } from './native/native-engine.ts'
export { detectMobile, detectWebRtc } from './webrtc/detect.ts'
export type { BrowserLike } from './webrtc/detect.ts'
export type { CaptureDevices, WebRtcImplementation, WebRtcOptions } from './webrtc/environment.ts'
export { WebRtcEngine } from './webrtc/webrtc-engine.ts'
