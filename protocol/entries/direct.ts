import * as v from '../checks.ts'
import { mediaSchema } from '../media-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** A direct transition: a complete target that asks no new transmission of the other party. */
export const direct = {
  body: v.object({ target: mediaSchema, restore: v.boolean() }),
  isSealed: true,
} as const satisfies EntryDefinition
