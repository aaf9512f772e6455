/** The WebRTC engine, a chunk of its own: loaded with the negotiation, or at the first operation on it. */
export { webRtcPipes } from './data-pipe.ts'
export { WebRtcEngine } from './webrtc-engine.ts'
export type { CaptureDevices, Device, WebRtcImplementation, WebRtcOptions } from './environment.ts'
