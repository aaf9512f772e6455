/** What of the production code the checker runs: the fold of the contact, and the whole of the encryption. */
export { deriveKey, keyPair, sharedSecret, commitOf } from '../../../sdk/crypto/agreement.ts'
export { shareToSign } from '../../../sdk/crypto/agent-signature.ts'
export { fromBase64, base64 } from '../../../sdk/crypto/bytes.ts'
export { firstHead, nextHead } from '../../../sdk/crypto/chain.ts'
export { sealedDraft } from '../../../sdk/crypto/entry-sealing.ts'
export { Secrecy } from '../../../sdk/crypto/secrecy.ts'
export { foldContact, initialContactState } from '../../../protocol/index.ts'
