import { ContactError } from '../../../protocol/index.ts'
import type { RelayFrame } from '../../../protocol/index.ts'

/** Bytes of a body by kind, before encryption. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ['data', 16_384],
  ['rpc', 32_768],
])
const OTHER_LIMIT = 65_536
/** Ciphertext is a third longer, and the frame around it takes its part. */
const allowed = (bytes: number): number => Math.ceil((bytes * 4) / 3) + 1_024

/**
 * Fails where the frame is larger than its kind allows.
 *
 * @throws {@link ContactError} `too_large`
 */
export function checkFrame({ kind, body }: RelayFrame): void {
  if (body === undefined) return
  const limit = LIMITS.get(kind) ?? OTHER_LIMIT
  if (Buffer.byteLength(JSON.stringify(body)) > allowed(limit))
    throw new ContactError(
      'too_large',
      `unable to hand over the frame; a frame of the kind ${kind} may have ${limit} bytes`,
    )
}
