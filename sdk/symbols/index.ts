export { VERIFICATION_SYMBOLS } from './symbols.ts'
export type { VerificationSymbol } from './symbols.ts'
