/** Engines that carry the media of a contact, and the interface for one's own. */
export { NativeEngine, PIPE_WATERMARKS, detectAvailability, detectMobile, detectWebRtc, partOf } from './light.ts'
export type { BrowserLike, DataPipe, DataPipeEvents, DataPipeHost, EngineEvent, EngineHost, EngineTransition, MakeDataPipe, MediaEngine } from './light.ts'
export { WebRtcEngine, webRtcPipes } from './webrtc/index.ts'
export type { CaptureDevices, Device, WebRtcImplementation, WebRtcOptions } from './webrtc/index.ts'
