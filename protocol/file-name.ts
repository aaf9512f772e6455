const LONGEST = 160
const LONGEST_ENDING = 16
/** Controls, and what hides or reorders text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
const RESERVED = /[<>:"|?*]/g
const EDGE = /[\s.]/
/** Names of devices on Windows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** A name that is safe to save under on every system: no path, nothing hidden, not too long. */
export function safeFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const plain = last.normalize('NFC').replace(INVISIBLE, '').replace(RESERVED, '_')
  return shortened(withoutEdges(plain).replace(DEVICE, '_$1')) || 'file'
}

/**
 * Without spaces and dots at either end; an expression for both would look at every run of them again and
 * again.
 */
function withoutEdges(name: string): string {
  let [from, to] = [0, name.length]
  while (from < to && EDGE.test(name.charAt(from))) from += 1
  while (to > from && EDGE.test(name.charAt(to - 1))) to -= 1
  return name.slice(from, to)
}

function shortened(name: string): string {
  const letters = Array.from(name)
  if (letters.length <= LONGEST) return name
  const ending = /\.[^.]+$/.exec(name)?.[0] ?? ''
  const kept = Array.from(ending).length <= LONGEST_ENDING ? ending : ''
  return letters.slice(0, LONGEST - Array.from(kept).length).join('') + kept
}
