/** Who says that a key is the other party's. */
export type VerifiedBy = 'user' | 'organisation'

/** Context of the encryption machine: plain data, ids of keys and no key. */
export interface EncryptionContext {
  /** Keys that were verified, each with who says so. */
  readonly verified: Readonly<Record<string, VerifiedBy>>
  /** The key that is agreed; null while there is none. */
  readonly key: AgreedKeyFacts | null
  /** Both parties have a session that holds the slot. */
  readonly isPeerHere: boolean
  /** What broke the contact; null while nothing has. */
  readonly fault: EncryptionFault | null
}

/** What is known of a key besides the key itself. */
export interface AgreedKeyFacts {
  readonly id: string
  /** Null while nobody has said that it is the other party's. */
  readonly by: VerifiedBy | null
  /** Something of the other party was opened with it. */
  readonly isConfirmed: boolean
}

/**
 * Why nothing can be trusted any more. `log`: it is not the one that the other party reads; `key`: the agreement
 * was not carried out as it must be; `signature`: the organisation has not signed the key; `people`: the codes
 * differ; `lowered`: the contact is said not to be secure any more; `service`: it does not know encryption.
 */
export type EncryptionFault = 'log' | 'key' | 'signature' | 'people' | 'lowered' | 'service'

/** What an encryption machine starts from. */
export interface EncryptionInput {
  /** Keys that earlier pages have verified. */
  readonly verified: Readonly<Record<string, VerifiedBy>>
}

/** What the encryption machine is told. */
export type EncryptionEvent =
  /** The cryptography is there and works. */
  | { readonly type: 'crypto.loaded' }
  | { readonly type: 'crypto.failed' }
  /** Both parties have a session that holds the slot. */
  | { readonly type: 'peer.came' }
  /** One of them has none any more. */
  | { readonly type: 'peer.left' }
  /** There is a key. `resumed`: id of the key that it goes on from; `signed`: the organisation has signed it. */
  | {
      readonly type: 'key.agreed'
      readonly id: string
      readonly resumed: string | null
      readonly signed: boolean
    }
  /** Another tab of the party has decided about keys: these are verified now, and no others. */
  | { readonly type: 'keys.came'; readonly verified: Readonly<Record<string, VerifiedBy>> }
  /** Something of the other party was opened with the key. */
  | { readonly type: 'key.confirmed' }
  /** A session of the key has no slot any more. */
  | { readonly type: 'key.ended' }
  /** Something is not as the other party wrote it. */
  | { readonly type: 'tampering.found'; readonly what: EncryptionFault }
  /** The user has compared the codes, and they are equal. */
  | { readonly type: 'user.matches' }
  /** The user has compared the codes, and they differ. */
  | { readonly type: 'user.differs' }
  /** The user goes on with a changed key without comparing it. */
  | { readonly type: 'user.accepts' }

/** What the outside hears. */
export type EncryptionEmitted =
  /** Both parties have been there for 15 s without a key. */
  | { readonly type: 'stalled' }
  /** A key is verified from now on. */
  | { readonly type: 'verified'; readonly id: string; readonly by: VerifiedBy }
  /** A changed key was accepted: what was verified before counts no more. */
  | { readonly type: 'accepted' }
  /** The other party has the key as well. */
  | { readonly type: 'confirmed'; readonly id: string }
  | { readonly type: 'broken'; readonly what: EncryptionFault }
