/**
 * What people compare to know that nobody is in the middle: seven symbols, or the same as a number. Equal on
 * both sides, and new with each key but those that go on from a key of the same pair.
 */
export interface VerificationCode {
  /** Seven places, 0 to 63, in the list that `duolog/symbols` exports. */
  readonly symbols: readonly number[]
  /** 13 decimal digits. */
  readonly digits: string
}

/** How far the encryption of a secure contact is agreed on and verified. */
export interface Verification {
  /**
   * `agreeing`: there is no key, and messages wait; `unverified`: encrypted with a key that nobody has
   * compared; `verified`; `changed`: a key was verified before and this is another one, so nothing is read or
   * sent until `verify` or `acceptKey`; `broken`: the log or a key was tampered with, and only `leave` works.
   */
  readonly state: 'agreeing' | 'unverified' | 'verified' | 'changed' | 'broken'
  /** Null without a key. */
  readonly code: VerificationCode | null
  /** Who says that the key is the other party's. Null unless it is `verified`. */
  readonly by: 'user' | 'organisation' | null
}

/** Something of the other party that a secure contact does not take. It is neither delivered nor acknowledged. */
export interface InsecureMessage {
  /** Type of the entry; `frame` for what the pages send to each other without the log. */
  readonly type: string
  /** `clear`: it is not encrypted as it must be; `malformed`: it is, and what it says cannot be read. */
  readonly reason: 'clear' | 'malformed'
}
