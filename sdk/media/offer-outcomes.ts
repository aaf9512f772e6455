import type { OfferOutcome } from '../../machines/media/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ErrorCode, PartialMediaState } from '../../protocol/index.ts'

const WORDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  glare: 'the remote offered first',
  rejected: 'the remote rejected the offer',
  withdrawn: 'the offer was withdrawn',
  timeout: 'there was no answer in time',
  invalid_answer: 'the answer was not offered',
  peer_left: 'the other party is not there',
  remote_failed: "the remote's engine failed",
  offer_required: 'the remote would have to transmit; make an offer',
  left: 'the contact is over for this page',
}

/** Why an operation on media failed, in words. */
export function failure(operation: string, code: ErrorCode, reason?: string): ContactError {
  const words = WORDS[code] ?? reason ?? 'it failed'
  return new ContactError(
    code,
    `unable to ${operation}; ${words}${reason && reason !== words ? `: ${reason}` : ''}`,
    reason ? { cause: reason } : {},
  )
}

/** What an offer or a direct transition resolves with. @throws {@link ContactError} why it failed */
export function concluded<T>(
  operation: string,
  outcome: OfferOutcome,
  result: (answer: PartialMediaState | null) => T,
): T {
  if (outcome.ok) return result(outcome.answer)
  throw failure(operation, outcome.code, outcome.reason)
}
