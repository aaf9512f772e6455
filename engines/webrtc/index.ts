/** The WebRTC engine, a chunk of its own: loaded when a contact is opened. */
export { webRtcPipes } from './data-pipe.ts'
export { WebRtcEngine } from './webrtc-engine.ts'
export type { CaptureDevices, Device, WebRtcImplementation, WebRtcOptions } from './environment.ts'
