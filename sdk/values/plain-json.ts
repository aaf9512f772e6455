import { ContactError, ENVELOPE_DEPTH, shapeFault, textBytes } from '../../protocol/index.ts'
import type { JsonValue } from '../../protocol/index.ts'

/**
 * A copy of what an application gives, as it will arrive on the other side.
 *
 * @throws {@link ContactError} `invalid_argument` — it cannot be written as JSON; `too_large`
 */
export function plainJson(
  operation: string,
  value: unknown,
  { name, bytes }: { readonly name: string; readonly bytes: number },
): JsonValue {
  const text = textOf(value)
  if (text === undefined)
    throw new ContactError('invalid_argument', `unable to ${operation}; ${name} cannot be written as JSON`)
  if (textBytes(text) > bytes)
    throw new ContactError('too_large', `unable to ${operation}; ${name} is larger than ${bytes} bytes`)
  const copy = JSON.parse(text) as JsonValue
  const fault = shapeFault(copy, ENVELOPE_DEPTH)
  if (fault !== null)
    throw new ContactError(
      'invalid_argument',
      `unable to ${operation}; in ${name}, ${fault.replace(/^it /, 'something ')}`,
    )
  return copy
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
