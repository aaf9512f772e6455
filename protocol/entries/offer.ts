import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { offerSchema, readOffer } from '../media-schema.ts'
import type { EntryDefinition } from './definition.ts'

const { least, most } = LIMITS.offerLifetime
const members = {
  offer: offerSchema,
  /** It brings back a call that an absence has cut. */
  restore: v.boolean(),
  /** Milliseconds that it stands; 60,000 without it. */
  lifetime: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))),
}

/** The party offers media. */
export const offer = {
  body: v.object(members),
  read: v.object({ ...members, offer: readOffer }),
  isSealed: true,
} as const satisfies EntryDefinition
