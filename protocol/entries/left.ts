import { channelCounts } from '../channel-counts.ts'
import * as v from '../checks.ts'
import { endReason, withEndReason } from '../end-reason.ts'
import { SLOTS, nameSchema, slot } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/**
 * A session ended. Where it holds its slot, its party is absent from then on. The membership machine tells
 * the application.
 */
export const left = {
  body: withEndReason(
    v.object({
      session: nameSchema,
      slot,
      vvcu: v.exactOptional(nameSchema),
      user: v.exactOptional(nameSchema),
      reason: endReason,
      channels: channelCounts,
    }),
  ),
  decisive: ['slot', SLOTS],
} as const satisfies EntryDefinition
