/** Plain values: compared, and copied. */

/** Whether two values are alike: plain objects and arrays by content, everything else by identity. */
export const sameValue = (a: unknown, b: unknown): boolean => alike(a, b, [])

function alike(a: unknown, b: unknown, assumed: readonly (readonly [unknown, unknown])[]): boolean {
  if (Object.is(a, b) || assumed.some(([left, right]) => left === a && right === b)) return true
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => alike(a[key], b[key], [...assumed, [a, b]]))
}

type Plain = Readonly<Record<string, unknown>>

/** Whether a value is an array or an object without a class. */
export const isPlain = (value: unknown): value is Plain => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/**
 * Deep copy of what `read` gives; what cannot be cloned (a stream, a function, a cycle) becomes `true`.
 * `above`:
 * the values that hold it.
 */
export function copyOrTrue(read: () => unknown, above = new Set<unknown>()): unknown {
  try {
    const value = read()
    if (above.has(value)) return true
    if (!isPlain(value)) return structuredClone(value)
    above.add(value)
    const members = Object.keys(value).map((key) => [key, copyOrTrue(() => value[key], above)] as const)
    above.delete(value)
    return Array.isArray(value) ? members.map(([, copy]) => copy) : Object.fromEntries(members)
  } catch {
    return true
  }
}

/**
 * A copy for whoever holds it, an application or an engine, to do with as they like: of plain objects, lists
 * and bytes, to any depth. What has a behaviour of its own (a stream, a contact, an error) is the same.
 * Everything that crosses the facade goes through here, in both directions.
 */
export function copyOf<T>(value: T, copies: Map<unknown, unknown> = new Map()): T {
  const isBytes = ArrayBuffer.isView(value) || value instanceof ArrayBuffer
  if (!isBytes && !isPlain(value)) return value
  const known = copies.get(value)
  if (known !== undefined) return known as T
  if (isBytes) {
    const bytes = structuredClone(value)
    copies.set(value, bytes)
    return bytes
  }
  const copy: object = Array.isArray(value) ? [] : {}
  copies.set(value, copy)
  // Never by assignment: `__proto__` is a name on the wire.
  for (const [key, member] of Object.entries(value))
    Object.defineProperty(copy, key, {
      value: copyOf(member, copies),
      configurable: true,
      enumerable: true,
      writable: true,
    })
  return copy as T
}
