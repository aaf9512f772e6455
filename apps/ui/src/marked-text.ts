/**
 * A small part of Markdown in what people write: `**strong**`, `*emphasis*`, `~~struck~~` and `` `code` ``. What is
 * not closed, or stands inside of a word, stays as it is written. Nothing here makes markup: the result is a list of
 * texts with their kind, for elements that a template has.
 */
export interface MarkedPart {
  readonly mark: 'strong' | 'em' | 's' | 'code' | null
  readonly text: string
}

/** Marks of one text that are shown: each one costs the page an element. */
const MAX_MARKS = 100
/** Longest marked text: a search for the end of a mark looks no further. */
const MAX_LENGTH = 300
const MARKS = { '**': 'strong', '*': 'em', '~~': 's', '`': 'code' } as const
const BEGIN = /(?<![\p{L}\p{N}*~`\\])(\*\*|\*|~~|`)(?=[^\s*~`])/gu
const isSpace = (character: string): boolean => /\s/.test(character)
const isWord = (character: string): boolean => /[\p{L}\p{N}*~`]/u.test(character)

/** Where the mark that begins at `from` is closed; -1 where it is not. */
function endOf(text: string, mark: string, from: number): number {
  const line = text.indexOf('\n', from)
  const limit = Math.min(from + MAX_LENGTH, line < 0 ? text.length : line)
  for (let at = text.indexOf(mark, from); at > from && at < limit; at = text.indexOf(mark, at + 1))
    if (!isSpace(text.charAt(at - 1)) && !isWord(text.charAt(at + mark.length))) return at
  return -1
}

/** Splits a message into texts, each plain or with one mark. */
export function markedParts(text: string): MarkedPart[] {
  const parts: MarkedPart[] = []
  let end = 0
  for (const { 1: mark = '', index } of text.matchAll(BEGIN)) {
    if (index < end || parts.length >= MAX_MARKS * 2) continue
    const from = index + mark.length
    const to = endOf(text, mark, from)
    if (to < 0) continue
    if (index > end) parts.push({ mark: null, text: text.slice(end, index) })
    parts.push({ mark: MARKS[mark as keyof typeof MARKS], text: text.slice(from, to) })
    end = to + mark.length
  }
  if (end < text.length) parts.push({ mark: null, text: text.slice(end) })
  return parts
}
