import type { MediaCapabilities } from './capabilities.ts'
import { ContactError } from './errors.ts'
import type { JsonValue } from './json.ts'
import { LIMITS } from './limits.ts'
import { FORBIDDEN_KEYS } from './shape.ts'

/**
 * Capabilities with the value at a dotted path set; objects on the way are made where they are missing. What
 * was given stays as it was.
 *
 * @throws {@link ContactError} `invalid_argument` — the path is empty, too long, leads through something
 *   that is not an object, or names what every object has.
 */
export function withCapability(
  capabilities: MediaCapabilities,
  path: string,
  value: JsonValue,
): Readonly<Record<string, unknown>> {
  const parts = path.split('.')
  if (
    parts.length > LIMITS.pathParts ||
    parts.some((part) => part === '' || part.length > LIMITS.name || FORBIDDEN_KEYS.has(part))
  )
    throw new ContactError(
      'invalid_argument',
      `unable to set the capability; path must be 1 to ${LIMITS.pathParts} names with dots`,
    )
  return set(capabilities, parts, value)
}

function set(
  target: object,
  [part = '', ...rest]: readonly string[],
  value: JsonValue,
): Readonly<Record<string, unknown>> {
  if (rest.length === 0) return { ...target, [part]: value }
  const inner: unknown = Object.hasOwn(target, part)
    ? (target as Readonly<Record<string, unknown>>)[part]
    : {}
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
    throw new ContactError('invalid_argument', 'unable to set the capability; path leads through no object')
  return { ...target, [part]: set(inner, rest, value) }
}
