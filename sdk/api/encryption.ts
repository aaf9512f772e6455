import type { Verification } from '../../protocol/index.ts'

/**
 * End-to-end encryption of a secure contact (AES-256). None of it is available on a contact that is not
 * `secure`. Messages, offers, files and what pages send to each other are encrypted by themselves; these
 * operations are for what the application carries by other ways.
 */
export interface EncryptionOperations {
  /**
   * How far the encryption is agreed on and verified; null on a contact that is not secure. Event
   * `verification` tells of each change.
   *
   * @example
   * ```ts
   * contact.on('verification', ({ state, code }) => showBadge(state, code?.digits))
   * ```
   */
  readonly verification: Verification | null
  /**
   * Says whether the code is the same on the other side, compared by voice or in person. `true`: the key is
   * `verified`. `false`: somebody is in the middle, and the contact is `broken`.
   *
   * @param digits - those that were compared, `verification.code.digits` as it was shown. A key may be replaced
   *   while people compare: pass them, so that the answer is never taken for another key. Without them the
   *   answer is about the key of this moment
   * @throws {@link ContactError} `invalid_key` — the contact is not secure, there is no code to compare, or the
   *   code has other digits; `invalid_argument` — of `matches` or `digits`; `tampered` — the contact is broken;
   *   `no_crypto`
   * @example
   * ```ts
   * contact.on('verification', ({ state, code }) => {
   *   if (state === 'unverified' && code) contact.verify(confirm(`Do you both see ${code.digits}?`), code.digits)
   * })
   * ```
   */
  verify(matches: boolean, digits?: string): void
  /**
   * Goes on with a `changed` key without comparing it: it is `unverified` then, and what waited is sent.
   *
   * @param digits - `verification.code.digits` of the key that the user was asked about: it may have been
   *   replaced since. Without them the key of this moment is accepted
   * @throws {@link ContactError} `invalid_key` — the contact is not secure, or the key has other digits;
   *   `invalid_state` — the key is not `changed`; `invalid_argument` — of `digits`; `tampered` — the contact is
   *   broken; `no_crypto`
   * @example
   * ```ts
   * contact.on('verification', ({ state, code }) => {
   *   if (state === 'changed' && confirm('The key has changed. Go on?')) contact.acceptKey(code?.digits)
   * })
   * ```
   */
  acceptKey(digits?: string): void
  /**
   * Encrypts a text.
   *
   * @param text - at most 32 KiB of UTF-8, without lone surrogates
   * @returns base64
   * @throws {@link ContactError} `invalid_key` — the contact is not secure, no key is agreed yet, or none any
   *   more; `no_crypto` — the cryptography could not be loaded; `too_large`, `invalid_argument` — of `text`;
   *   `tampered` — the contact is broken
   * @example
   * ```ts
   * const data = contact.encrypt('4111 1111')
   * ```
   */
  encrypt(text: string): string
  /**
   * Decrypts what `encrypt` gave, of either party, and with any key that this tab still has.
   *
   * @param data - base64
   * @throws {@link ContactError} `invalid_key` — the contact is not secure, or there is no key of that id;
   *   `tampered` — it is not what either party encrypted; `no_crypto`, `invalid_argument`
   * @example
   * ```ts
   * const text = contact.decrypt(contact.encrypt('4111 1111'))
   * ```
   */
  decrypt(data: string): string
  /**
   * Encrypts some properties of a message, and lists them in its property `encrypted`.
   *
   * @param fields - names of the properties: of JSON values, each at most 32 KiB
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
   * @throws {@link ContactError} as `decrypt`
   * @example
   * ```ts
   * const { text } = contact.decryptMessage(contact.encryptMessage({ text: 'my number' }, ['text']))
   * ```
   */
  decryptMessage<M extends object>(msg: M): M
}

/** What an organisation signs: one key of one agent, for one agreement. It is never used again. */
export interface KeyToSign {
  /** Id of the contact. */
  readonly contact: string
  /** Id of the agent: who signs checks that it is the one who asks. */
  readonly agent: string
  readonly session: string
  /** What the visitor has committed to, base64 of 32 bytes. */
  readonly commit: string
  /** The agent's public key of X25519, base64 of 32 bytes. */
  readonly key: string
}

/**
 * A signature of Ed25519 (RFC 8032) over `"duolog/1 agent key" ‖ lp(contact) ‖ lp(agent) ‖ lp(session) ‖ commit
 * ‖ key`: `lp` is two bytes of length, big-endian, and the text in UTF-8; `commit` and `key` are 32 bytes each.
 */
export interface KeySignature {
  /** The public key that has signed, base64 of 32 bytes. */
  readonly signer: string
  /** Base64 of 64 bytes. */
  readonly signature: string
}
