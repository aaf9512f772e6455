/**
 * Texts and addresses that others wrote, made safe to look at. Nothing here makes markup: the result always
 * goes into text nodes.
 */

/** A piece of a message: plain text, or an address that may be opened. */
export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly href: string; readonly text: string }

const MAX_URL = 2048
/** Addresses of one message that may be opened: each one costs the page time. */
const MAX_LINKS = 20
// oxlint-disable-next-line no-control-regex -- the very characters that the URL parser would silently drop
const SILENTLY_DROPPED = /[\u0000-\u0020\u007f]/
const CANDIDATE = /https?:\/\/[^\s<>"'`]+/gi
const TRAILING = new Set('.,;:!?)]}\'"»”’…')
/** Characters of one text that are shown as code points: each one is as long as a word. */
const MAX_CODE_POINTS = 20
// oxlint-disable-next-line no-control-regex -- characters that hide or reorder what is written
const HIDING = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069])\1*/g

/** The address if it is `http` or `https` without credentials, else `null`. */
export function webUrl(text: string): URL | null {
  if (
    text.length > MAX_URL ||
    SILENTLY_DROPPED.test(text) ||
    !/^https?:\/\//i.test(text) ||
    !URL.canParse(text)
  )
    return null
  const url = new URL(text)
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''
    ? url
    : null
}

/**
 * The text with characters that would hide or reorder it made visible, for example `‹U+202E›`, or `‹U+202E ×3›`
 * where the same one follows itself. After 20 of them each is shown as U+FFFD: the result is not much longer than
 * the text.
 */
export function showHidden(text: string): string {
  let shown = 0
  return text.replace(HIDING, (run) => {
    shown += 1
    return shown > MAX_CODE_POINTS ? '\uFFFD' : codePoint(run)
  })
}

function codePoint(run: string): string {
  const name = `U+${run.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return run.length > 1 ? `‹${name} ×${run.length}›` : `‹${name}›`
}

/**
 * How an address is shown: as typed if its host is what it seems to be, else as the browser reads it
 * (punycode).
 */
export function shownUrl(typed: string, url: URL): string {
  const host = /^https?:\/\/([^/?#\\]*)/i.exec(typed)?.[1] ?? ''
  return showHidden(host.toLowerCase() === url.host ? typed : url.href)
}

/** Splits a message into text and addresses that may be opened: the first 20 of them. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  let links = 0
  for (const match of text.matchAll(CANDIDATE)) {
    const typed = trimEnd(match[0])
    const url = webUrl(typed)
    if (!url) continue
    if (match.index > end) parts.push({ kind: 'text', text: showHidden(text.slice(end, match.index)) })
    parts.push({ kind: 'link', href: url.href, text: shownUrl(typed, url) })
    end = match.index + typed.length
    links += 1
    if (links === MAX_LINKS) break
  }
  if (end < text.length) parts.push({ kind: 'text', text: showHidden(text.slice(end)) })
  return parts
}

/** Without the punctuation that ends a sentence; a closing bracket stays if the address opens one. */
function trimEnd(typed: string): string {
  let end = typed.length
  while (end > 0 && TRAILING.has(typed.charAt(end - 1))) {
    if (typed.charAt(end - 1) === ')' && typed.slice(0, end).includes('(')) break
    end -= 1
  }
  return typed.slice(0, end)
}

/** Size of a text as the service counts it. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length
