import * as v from '../checks.ts'
import { capabilitiesSchema } from '../media-schema.ts'
import { nameSchema } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The session enters, or enters again. */
export const present = {
  body: v.object({
    capabilities: capabilitiesSchema,
    /** The engine of each medium that the session carries. */
    media: v.record(nameSchema, nameSchema),
    /** Takes the slot if this is the session that holds it now; null: none holds it. */
    after: v.nullable(nameSchema),
  }),
} satisfies EntryDefinition
