import { ContactError } from '../../protocol/index.ts'

/**
 * Encryption with the key of a secure contact (AES-256). None of it is available on a contact that is not
 * `secure`.
 */
export interface EncryptionOperations {
  /**
   * Encrypts a text.
   *
   * @returns base64
   * @throws {@link ContactError} `invalid_key` — the contact is not secure; `no_crypto` — the cryptography
   *   could not be loaded
   * @example
   * ```ts
   * const data = contact.encrypt('4111 1111')
   * ```
   */
  encrypt(text: string): string
  /**
   * Decrypts what `encrypt` gave.
   *
   * @param data - base64
   * @throws {@link ContactError} as `encrypt`
   * @example
   * ```ts
   * const text = contact.decrypt(contact.encrypt('4111 1111'))
   * ```
   */
  decrypt(data: string): string
  /**
   * Encrypts some properties of a message, and lists them in its property `encrypted`.
   *
   * @param fields - names of the properties
   * @throws {@link ContactError} as `encrypt`
   * @example
   * ```ts
   * const message = contact.encryptMessage({ text: 'my number', id: 7 }, ['text'])
   * ```
   */
  encryptMessage<M extends object>(msg: M, fields: readonly (keyof M & string)[]): M & { encrypted: string[] }
  /**
   * Decrypts all encrypted properties of a message.
   *
   * @throws {@link ContactError} as `encrypt`
   * @example
   * ```ts
   * const { text } = contact.decryptMessage(contact.encryptMessage({ text: 'my number' }, ['text']))
   * ```
   */
  decryptMessage<M extends object>(msg: M): M
}

/** A contact without a key: one that is not secure, or that is and whose cryptography is not there. */
export abstract class WithoutEncryption implements EncryptionOperations {
  abstract readonly secure: boolean

  encrypt(_text: string): string {
    throw this.#withoutKey('encrypt the text')
  }

  decrypt(_data: string): string {
    throw this.#withoutKey('decrypt the text')
  }

  encryptMessage<M extends object>(
    _msg: M,
    _fields: readonly (keyof M & string)[],
  ): M & { encrypted: string[] } {
    throw this.#withoutKey('encrypt the message')
  }

  decryptMessage<M extends object>(_msg: M): M {
    throw this.#withoutKey('decrypt the message')
  }

  #withoutKey(operation: string): ContactError {
    if (this.secure)
      return new ContactError('no_crypto', `unable to ${operation}; encryption is not available`)
    return new ContactError('invalid_key', `unable to ${operation}; the contact is not secure`)
  }
}
