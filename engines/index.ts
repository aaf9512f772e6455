export { NativeEngine } from './native/native-engine.ts'
export { partOf } from './media-engine.ts'
export type { EngineEvent, EngineHost, EngineTransition, MediaEngine } from './media-engine.ts'
