import * as v from '../checks.ts'
import { ERROR_CODES } from '../errors.ts'
import { seq } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

const code = v.picklist(ERROR_CODES)

/** The party's engines cannot make the transition `ref`. */
export const failed = {
  body: v.object({ ref: seq, code }),
  read: v.object({ ref: seq, code: v.fallback(code, 'internal') }),
  isSealed: true,
} as const satisfies EntryDefinition
