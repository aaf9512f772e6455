import { ContactError } from '../../protocol/index.ts'
import type { Verification } from '../../protocol/index.ts'
import type { EncryptionOperations } from '../api/encryption.ts'

const BROKEN = { state: 'broken' } as const

/** The operations of encryption: where there is none, they say why. */
export abstract class WithEncryption implements EncryptionOperations {
  abstract readonly secure: boolean
  /** What carries them out; null on a contact that is not secure, or whose cryptography is not there. */
  protected readonly encryption: EncryptionOperations | null

  constructor(encryption: EncryptionOperations | null) {
    this.encryption = encryption
  }

  /** Whether it is secure, and encryption is not there or broken: nothing is sent. */
  get isLocked(): boolean {
    return this.secure && (this.encryption?.verification ?? BROKEN).state === BROKEN.state
  }

  get verification(): Verification | null {
    return this.encryption?.verification ?? null
  }

  verify(matches: boolean, digits?: string): void {
    this.#with('compare the code').verify(matches, digits)
  }

  acceptKey(digits?: string): void {
    this.#with('accept the key').acceptKey(digits)
  }

  encrypt(text: string): string {
    return this.#with('encrypt the text').encrypt(text)
  }

  decrypt(data: string): string {
    return this.#with('decrypt the text').decrypt(data)
  }

  encryptMessage<M extends object>(
    msg: M,
    fields: readonly (keyof M & string)[],
  ): M & { encrypted: string[] } {
    return this.#with('encrypt the message').encryptMessage(msg, fields)
  }

  decryptMessage<M extends object>(msg: M): M {
    return this.#with('decrypt the message').decryptMessage(msg)
  }

  #with(operation: string): EncryptionOperations {
    if (!this.secure)
      throw new ContactError('invalid_key', `unable to ${operation}; the contact is not secure`)
    if (!this.encryption)
      throw new ContactError('no_crypto', `unable to ${operation}; encryption is not available`)
    return this.encryption
  }
}
