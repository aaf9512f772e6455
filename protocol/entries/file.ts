import * as v from '../checks.ts'
import { isMediaType } from '../attachment.ts'
import { jsonBytes } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { base64Of, ciphertext } from '../sealed-body.ts'
import { count, nameSchema, shown } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** Bytes of JSON of what is told of an encrypted file. */
const META_BYTES = 8192

/** What the sender of an encrypted file tells of it, and the key that opens it. */
const meta = v.pipe(
  v.object({
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.fileName)),
    mimetype: v.pipe(
      v.string(),
      v.check((type) => isMediaType(type)),
    ),
    /** Bytes, before they were encrypted. */
    size: count,
    desc: v.exactOptional(shown(LIMITS.desc)),
    referenceId: v.exactOptional(shown(LIMITS.desc)),
    width: v.exactOptional(count),
    height: v.exactOptional(count),
    /** `history`: what was said before a transfer. */
    kind: v.exactOptional(nameSchema),
    /** Input key of the file's encryption: 32 bytes in base64. */
    key: base64Of(32),
  }),
  v.check((told) => jsonBytes(told) <= META_BYTES),
)

/** The stored bytes `file` are an encrypted file. */
export const file = {
  body: v.object({ file: nameSchema, meta }),
  isSealed: true,
  encrypts: { meta: ciphertext(11_020) }, // §2
  persists: true,
} as const satisfies EntryDefinition
