/**
 * Pictures and names of the verification symbols of a secure contact.
 *
 * @module duolog/symbols
 */
export { VERIFICATION_SYMBOLS } from './symbols.ts'
export type { VerificationSymbol } from './symbols.ts'
