/**
 * Text on the wire is well-formed Unicode without NUL: half a character becomes U+FFFD, as where text becomes
 * UTF-8; NUL, which no store takes, is refused.
 */

const NUL = /\0/
const HALF = /\p{Cs}/gu

/** Whether a text contains U+0000, which PostgreSQL cannot store. */
export const hasNul = (text: string): boolean => NUL.test(text)

const mended = (text: string): string => text.replace(HALF, '\ufffd')

/** A JSON value with well-formed texts and names of members; the same value if they are already. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return mended(value) as T & string
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  let isSame = true
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const next: [string, unknown] = [mended(key), wellFormed(inner)]
    isSame &&= next[0] === key && next[1] === inner
    return next
  })
  if (isSame) return value
  return (Array.isArray(value) ? members.map(([, inner]) => inner) : Object.fromEntries(members)) as T
}

/**
 * The first `most` UTF-16 units of a text that the user did not write for this purpose, such as a page's
 * title: without NUL, and not cut within a character.
 */
export const cutText = (text: string, most: number): string =>
  mended(text.replaceAll('\0', '')).slice(0, most).replace(HALF, '')
