export { uploadMachine } from './upload.machine.ts'
export type { UploadActor, UploadSnapshot } from './upload.machine.ts'
export type { StoredFile, UploadContext, UploadEvent, UploadFailure } from './upload.types.ts'
