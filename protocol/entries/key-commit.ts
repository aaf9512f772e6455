import * as v from '../checks.ts'
import { base64Of } from '../sealed-body.ts'
import type { EntryDefinition } from './definition.ts'

/** The newest keys of the visitor's ring that a commit may name. */
const RESUMABLE = 4

/** The visitor begins an agreement: the hash of a public key, which stays hidden. */
export const keyCommit = {
  body: v.object({
    commit: base64Of(32),
    /** Ids of keys that the new one may resume. */
    resume: v.exactOptional(v.pipe(v.array(base64Of(8)), v.maxLength(RESUMABLE))),
  }),
} satisfies EntryDefinition
