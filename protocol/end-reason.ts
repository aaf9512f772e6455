/** Why a channel or a contact ended. */
import * as v from './checks.ts'

const END_REASONS = ['abandon', 'cancel', 'vvcu', 'user', 'timeout', 'dissuasion', 'disconnect'] as const

/** Why a channel or contact ended, in the contract's words. */
export type EndReason = (typeof END_REASONS)[number]

/** Why a contact ended or a party left it. Missing: no reason is known. */
export const endReason = v.exactOptional(v.picklist(END_REASONS))

/** A reason that only a later minor version has is left out. */
function withoutLaterReason(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('reason' in value) || typeof value.reason !== 'string')
    return value
  const { reason: given, ...others } = value
  return END_REASONS.some((known) => known === given) ? value : others
}

/** A schema with the member `reason`, as a reader takes it. */
export const withEndReason = <S extends v.GenericSchema<unknown, { readonly reason?: EndReason }>>(
  schema: S,
) => v.pipe(v.unknown(), v.transform(withoutLaterReason), schema)
