import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ContactError } from '../../../protocol/index.ts'
import type { ErrorCode } from '../../../protocol/index.ts'
import { NoRoomError } from '../limits/no-room.ts'
import { RateError } from '../limits/rate-limits.ts'
import { storeError } from '../store/database.ts'

const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_argument: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  invalid_state: 409,
  left: 410,
  too_large: 413,
  not_supported: 415,
  rate_limited: 429,
  offline: 503,
}

export const statusOf = (error: ContactError): number =>
  error instanceof NoRoomError ? 507 : (STATUS[error.code] ?? 500)

/** The body of an answer that refuses. */
export const errorBody = ({ code, message, retryAfterMs }: ContactError) => ({
  error: { code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) },
})

/** Answers every failure with a code and words that hold nothing of the request. */
export const answerError =
  (onFault: (thrown: unknown) => void) =>
  (thrown: FastifyError | ContactError, _request: FastifyRequest, reply: FastifyReply): void => {
    const error = thrown instanceof ContactError ? thrown : refusedByFastify(thrown)
    if (error.code === 'internal') onFault(thrown)
    if (error instanceof RateError) reply.header('retry-after', Math.ceil(error.retryAfterMs / 1_000))
    void reply.status(isNoSuchPart(thrown) ? 416 : statusOf(error)).send(errorBody(error))
  }

/** RFC 9110, 15.5.17. */
const isNoSuchPart = (thrown: Error): boolean => 'statusCode' in thrown && thrown.statusCode === 416

function refusedByFastify(thrown: FastifyError): ContactError {
  if (thrown.statusCode === 413)
    return new ContactError('too_large', 'unable to answer the request; its body is too large')
  if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500)
    return new ContactError('invalid_argument', 'unable to answer the request; it is malformed')
  return storeError(thrown)
}

export const answerMissing = (_request: FastifyRequest, reply: FastifyReply): void => {
  void reply.status(404).send({
    error: { code: 'not_found', message: 'unable to answer the request; there is nothing at this address' },
  })
}
