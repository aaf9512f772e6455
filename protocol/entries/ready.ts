import * as v from '../checks.ts'
import { seq } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The party's engines have made the transition `ref`. */
export const ready = {
  body: v.object({ ref: seq }),
  isSealed: true,
} as const satisfies EntryDefinition
