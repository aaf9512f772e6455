type Plain = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Plain => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
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
