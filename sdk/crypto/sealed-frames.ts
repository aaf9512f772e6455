/** Frames of the relay in a secure contact (encryption.md sections 2 and 5). */
import { otherSlot } from '../../protocol/index.ts'
import type { RelayFrame } from '../../protocol/index.ts'
import { openedFrame, requirePen, sealedFrame } from './entry-sealing.ts'
import type { Pen } from './entry-sealing.ts'
import type { SecrecyHost, Sendable } from './interface.ts'
import type { KeyRing } from './key-ring.ts'

export interface SealedFramesOptions {
  readonly host: Pick<SecrecyHost, 'delivery' | 'place' | 'role'>
  readonly ring: KeyRing
  /** Id of the key in use; null while there is none. */
  readonly key: () => string | null
  /** With what this page writes; null while there is no key. */
  readonly pen: () => Pen | null
  /** A frame of the other party has opened. */
  readonly onOpened: () => void
}

/** Seals frames with their number and opens them, under the key in use. */
export class SealedFrames {
  readonly #options: SealedFramesOptions
  /** Key under which a frame was reported that does not open: once a session (section 5). */
  #reported: string | null = null

  constructor(options: SealedFramesOptions) {
    this.#options = options
  }

  /** As of `FrameSealing`. A frame without a body says nothing that could be read. */
  seal(to: string, frame: RelayFrame): Sendable<RelayFrame> {
    const { host, pen: penOf } = this.#options
    if (frame.body === undefined) return frame as Sendable<RelayFrame> // §2
    const pen = requirePen(penOf())
    const { contact, slot } = pen
    const { session: from } = host.place()
    return sealedFrame(pen, { contact, slot, from, to, n: frame.n, kind: frame.kind }, frame)
  }

  open(from: string, frame: RelayFrame): RelayFrame | null {
    const { host, ring, key: keyOf, onOpened } = this.#options
    const slot = otherSlot(host.role)
    const key = keyOf() ?? ''
    const keys = ring.keysOf(key, slot)
    const { id: contact, session: to } = host.place()
    const place = { contact, slot, from, to, n: frame.n, kind: frame.kind }
    const opened = keys && openedFrame(place, frame, { key, keys })
    if (opened) onOpened()
    else if (this.#reported !== key) {
      // §5
      this.#reported = key
      host.delivery.emit('insecure', { type: 'frame', reason: 'malformed' })
    }
    return opened
  }
}
