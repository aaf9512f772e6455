import * as v from '../checks.ts'
import { seq } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

const reason = v.picklist(['withdrawn', 'timeout'])

/** The party takes its offer `ref` back. */
export const withdraw = {
  body: v.object({ ref: seq, reason }),
  read: v.object({ ref: seq, reason: v.fallback(reason, 'withdrawn') }),
  isSealed: true,
} as const satisfies EntryDefinition
