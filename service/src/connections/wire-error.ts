import type { ContactError, WireError } from '../../../protocol/index.ts'
import { RateError } from '../limits/rate-limits.ts'
import { storeError } from '../store/database.ts'

/** When a refused call may be made again. */
const RETRY_AFTER_MS = 1_000

/** A failure as the caller is told it. */
export function wireError(error: ContactError): WireError {
  const { code, message } = error
  if (error instanceof RateError) return { code, message, retryAfterMs: error.retryAfterMs }
  return {
    code,
    message,
    ...(code === 'rate_limited' || code === 'offline' ? { retryAfterMs: RETRY_AFTER_MS } : {}),
  }
}

/** The error that Socket.IO hands to the client as `connect_error`. */
export function refusal(thrown: unknown): Error & { readonly data: WireError } {
  const error = storeError(thrown)
  return Object.assign(new Error(error.message), { data: wireError(error) })
}
