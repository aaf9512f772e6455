import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { nameSchema, shown } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The contact continues under the id `toId`. The membership machine tells the application. */
export const transferred = {
  body: v.object({
    toId: nameSchema,
    toAgent: v.exactOptional(nameSchema),
    toTags: v.exactOptional(v.array(shown(LIMITS.name))),
  }),
} satisfies EntryDefinition
