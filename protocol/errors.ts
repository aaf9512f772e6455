/** Every code that a {@link ContactError} can have. The first four are those of the `Contact` interface. */
export const ERROR_CODES = [
  'no_crypto',
  'invalid_key',
  'timeout',
  'not_supported',
  'invalid_state',
  'invalid_argument',
  'invalid_offer',
  'invalid_answer',
  'offer_required',
  'rejected',
  'withdrawn',
  'glare',
  'left',
  'offline',
  'not_assigned',
  'not_joined',
  'unauthorized',
  'forbidden',
  'not_found',
  'too_large',
  'rate_limited',
  'media_denied',
  'media_dismissed',
  'remote_failed',
  'peer_left',
  'media_not_found',
  'media_in_use',
  'media_insecure_context',
  'media_failed',
  'engine_failed',
  'channel_closed',
  'tampered',
  'protocol',
  'internal',
] as const

/** A code of the closed list. `docs/errors.md` says what each code means and what to do. */
export type ErrorCode = (typeof ERROR_CODES)[number]

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'timeout',
  'glare',
  'offline',
  'rate_limited',
  'media_dismissed',
  'media_in_use',
  'remote_failed',
  'engine_failed',
])

/** The only class of errors that Duolog throws, rejects with or passes to a callback. */
export class ContactError extends Error {
  override readonly name = 'ContactError'
  /** What kind of failure it is. */
  readonly code: ErrorCode
  /** Whether the same call may succeed when it is made again unchanged. */
  readonly retryable: boolean
  /**
   * With `rate_limited`: milliseconds from the error until the same call may be made again. Missing where the
   * service does not say it.
   */
  declare readonly retryAfterMs?: number

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.retryable = RETRYABLE.has(code)
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** Whether a value from outside is a known error code. */
export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && (ERROR_CODES as readonly string[]).includes(value)

/** Returns a {@link ContactError} as it is, and wraps any other thrown value in one, as its `cause`. */
export function toContactError(thrown: unknown, code: ErrorCode, message: string): ContactError {
  return thrown instanceof ContactError ? thrown : new ContactError(code, message, { cause: thrown })
}
