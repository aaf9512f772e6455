import * as v from '../checks.ts'
import { endReason, withEndReason } from '../end-reason.ts'
import type { EntryDefinition } from './definition.ts'

/** The contact ended. The membership machine tells the application. */
export const cleared = {
  body: withEndReason(v.object({ reason: endReason })),
} satisfies EntryDefinition
