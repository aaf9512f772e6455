import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { ciphertext } from '../sealed-body.ts'
import { seq, shown } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The party rejects the offer `ref`. */
export const reject = {
  body: v.object({ ref: seq, reason: shown(LIMITS.desc) }),
  isSealed: true,
  encrypts: { reason: ciphertext(2148) }, // §2
} as const satisfies EntryDefinition
