import * as v from '../checks.ts'
import { base64Of } from '../sealed-body.ts'
import { seq } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** The agent answers the commit `ref` with a public key. */
export const keyShare = {
  body: v.object({
    ref: seq,
    key: base64Of(32),
    /** Id of the key that the new one resumes. */
    resume: v.exactOptional(base64Of(8)),
    /** Ed25519 key of the organisation that signed the share. */
    signer: v.exactOptional(base64Of(32)),
    signature: v.exactOptional(base64Of(64)),
  }),
} satisfies EntryDefinition
