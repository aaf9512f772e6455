import { ContactError, LIMITS, textBytes } from '../../protocol/index.ts'
import type { JsonValue } from '../../protocol/index.ts'

/** What a call has around the body of a frame, bytes. */
const AROUND_BYTES = 1_024
const FRAME_BYTES = LIMITS.frameBytes - AROUND_BYTES
/** What a ciphertext of 87,480 characters holds. */
const SEALED_BYTES = 65_550

/** @throws {@link ContactError} `too_large` — the body does not fit in a frame */
export function requireFit(kind: string, body: JsonValue, isSealed: boolean): void {
  const room = isSealed ? SEALED_BYTES : FRAME_BYTES
  const text = JSON.stringify(body)
  if (text.length * 3 <= room || textBytes(text) <= room) return
  throw new ContactError(
    'too_large',
    `unable to send ${kind}; it does not fit in a frame of ${LIMITS.frameBytes} bytes`,
  )
}

/** Frames that wait, for their way or for an acknowledgement, at most. */
export const WINDOW = 512
/** Frames of these kinds mean nothing after so long, milliseconds. */
export const LAPSE_MS: Readonly<Record<string, number>> = { iswriting: 3_000 }

/** @throws {@link ContactError} `peer_left` — nobody is there; `too_large` — `window` frames wait already */
export function requireRoom(kind: string, peer: string | null, { waiting, window }: Room): asserts peer {
  if (peer === null)
    throw new ContactError('peer_left', `unable to send ${kind}; the other party is not there`)
  if (waiting >= window) throw new ContactError('too_large', `unable to send ${kind}; too much waits already`)
}
interface Room {
  readonly waiting: number
  readonly window: number
}
