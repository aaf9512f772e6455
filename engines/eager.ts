/** What loads together with the SDK: everything of the engines but WebRTC itself. */
export { PIPE_WATERMARKS } from './data-pipe.ts'
export type { DataPipe, DataPipeEvents, DataPipeHost, MakeDataPipe } from './data-pipe.ts'
export { assumedAvailability, detectAvailability, detectMobile, detectWebRtc } from './detect.ts'
export type { BrowserLike } from './detect.ts'
export { partOf } from './media-engine.ts'
export type {
  EngineControls,
  EngineEvent,
  EngineHost,
  EngineTransition,
  MediaEngine,
} from './media-engine.ts'
export { NativeEngine } from './native/native-engine.ts'
