/** Plain values: compared, and copied where they can be cloned. */

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
