export * from './eager.ts'
export { channelMachine } from './channel/channel.machine.ts'
export type { ChannelActor, ChannelSnapshot } from './channel/channel.machine.ts'
export type { ChannelContext, ChannelEmitted, ChannelEvent } from './channel/channel.types.ts'
export { encryptionMachine } from './encryption/encryption.machine.ts'
export type { EncryptionActor, EncryptionSnapshot } from './encryption/encryption.machine.ts'
export type {
  AgreedKeyFacts,
  EncryptionContext,
  EncryptionEmitted,
  EncryptionEvent,
  EncryptionFault,
  EncryptionInput,
  VerifiedBy,
} from './encryption/encryption.types.ts'
export { uploadMachine } from './upload/upload.machine.ts'
export type { UploadActor, UploadSnapshot } from './upload/upload.machine.ts'
export type { StoredFile, UploadContext, UploadEvent, UploadFailure } from './upload/upload.types.ts'
export { requestMachine } from './request/request.machine.ts'
export type { RequestActor, RequestSnapshot } from './request/request.machine.ts'
export type {
  RequestAnswer,
  RequestContext,
  RequestEmitted,
  RequestEvent,
  RequestInput,
  RequestOutcome,
} from './request/request.types.ts'
