import * as v from '../checks.ts'
import { capabilitiesSchema } from '../media-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The party's capabilities changed. */
export const capabilities = {
  body: v.object({ capabilities: capabilitiesSchema }),
  isSealed: true,
} as const satisfies EntryDefinition
