import * as v from '../checks.ts'
import { answerSchema } from '../media-schema.ts'
import { seq } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The party answers the offer `ref`. */
export const answer = {
  body: v.object({ ref: seq, answer: answerSchema }),
  isSealed: true,
} as const satisfies EntryDefinition
