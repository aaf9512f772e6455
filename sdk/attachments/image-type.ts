import { UNKNOWN_TYPE } from '../../protocol/index.ts'

/** So many bytes tell the type. */
const SIGNATURE_BYTES = 12
/** By the first bytes, read as Latin-1. */
const SIGNATURES: readonly (readonly [type: string, isOf: (first: string) => boolean])[] = [
  ['image/png', (first) => first.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (first) => first.startsWith('\xff\xd8\xff')],
  ['image/gif', (first) => /^GIF8[79]a/.test(first)],
  ['image/webp', (first) => /^RIFF[^]{4}WEBP/.test(first)],
]

/**
 * The type of a picture that a page may show, by its first bytes (https://mimesniff.spec.whatwg.org, 6.1); else
 * that of any file. Whatever else runs in a page, as HTML and SVG do, is not told.
 */
export async function imageType(file: Blob): Promise<string> {
  const first = new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer())
  const text = String.fromCharCode(...first)
  return SIGNATURES.find(([, isOf]) => isOf(text))?.[0] ?? UNKNOWN_TYPE
}
