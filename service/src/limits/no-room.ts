import { ContactError } from '../../../protocol/index.ts'

/** The disk is full. */
export class NoRoomError extends ContactError {
  constructor(cause?: unknown) {
    super('too_large', 'unable to take the file; the service has no room for it', { cause })
  }
}
