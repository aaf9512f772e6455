export { encryptionMachine } from './encryption.machine.ts'
export type { EncryptionActor, EncryptionSnapshot } from './encryption.machine.ts'
export type {
  AgreedKeyFacts,
  EncryptionContext,
  EncryptionEmitted,
  EncryptionEvent,
  EncryptionFault,
  EncryptionInput,
  VerifiedBy,
} from './encryption.types.ts'
