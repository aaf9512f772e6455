import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { nameSchema, shown } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The assigned agent declined. The membership machine tells the application. */
export const declined = {
  body: v.object({ user: nameSchema, nick: shown(LIMITS.nick) }),
} satisfies EntryDefinition
