/**
 * Text on the wire is well-formed Unicode without NUL: half a character becomes U+FFFD, as where text becomes
 * UTF-8; NUL, which no store takes, is refused.
 */

const NUL = /\0/
const HALF = /\p{Cs}/gu
const HAS_HALF = /\p{Cs}/u

/** Whether a text contains U+0000, which PostgreSQL cannot store. */
export const hasNul = (text: string): boolean => NUL.test(text)

const mended = (text: string): string => text.replace(HALF, '\ufffd')

/** A JSON value with well-formed texts and names of members; the same value if they are already. */
export const wellFormed = <T>(value: T): T => (isWellFormed(value) ? value : mend(value))

function mend<T>(value: T): T {
  if (typeof value === 'string') return mended(value) as T & string
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map(mend) as T & unknown[]
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mended(key), mend(inner)])) as T
}

/** Nothing is made for it: nearly every value is well-formed already. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !HAS_HALF.test(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  for (const key in value)
    if (HAS_HALF.test(key) || !isWellFormed(value[key as keyof typeof value])) return false
  return true
}

/**
 * The first `most` UTF-16 units of a text that the user did not write for this purpose, such as a page's
 * title: without NUL, and not cut within a character.
 */
export const cutText = (text: string, most: number): string =>
  mended(text.replaceAll('\0', '')).slice(0, most).replace(HALF, '')
