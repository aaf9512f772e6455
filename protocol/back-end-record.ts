/** The record of a contact as it is published: that of the parties, and what a back end reads besides. */
import * as v from './checks.ts'
import { contactRecord } from './contact-schema.ts'
import { nameSchema } from './value-schema.ts'

/** @public The published JSON Schemas are made from this field. */
export { field } from './form-schema.ts'

/** @public The published JSON Schemas are made from this record. */
export const backEndRecord = v.object({
  ...contactRecord.entries,
  ended: v.exactOptional(v.string()),
  transferredTo: v.exactOptional(nameSchema),
})
