import { createHash } from 'node:crypto'
import { disableTypes, imageSize, types } from 'image-size'
import { UNKNOWN_TYPE } from '../../../protocol/index.ts'
import { avifSize } from './avif.ts'

/** What a file itself tells. */
export interface FileFacts {
  readonly sha256: string
  /** Null where the first bytes say nothing. */
  readonly mimetype: string | null
  readonly width: number | null
  readonly height: number | null
}

type Shape = Omit<FileFacts, 'sha256'>

const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
}
const AVIF = 'image/avif'
/** Types that are taken from the file and never from what its sender says. */
const TOLD_BY_CONTENT: ReadonlySet<string> = new Set([...Object.values(IMAGES), AVIF, 'application/pdf'])
const NOTHING: Shape = { mimetype: null, width: null, height: null }
const HEAD_BYTES = 512 * 1024

disableTypes(types.filter((type) => IMAGES[type] === undefined))

/** Reads a whole file, whatever its size, in chunks. `isEncrypted`: its first bytes are of no type. */
export async function factsOf(bytes: AsyncIterable<Uint8Array>, isEncrypted: boolean): Promise<FileFacts> {
  const hash = createHash('sha256')
  const head: Uint8Array[] = []
  let missing = isEncrypted ? 0 : HEAD_BYTES
  for await (const chunk of bytes) {
    hash.update(chunk)
    if (missing === 0) continue
    const first = chunk.subarray(0, missing)
    head.push(first)
    missing -= first.length
  }
  return { ...(isEncrypted ? NOTHING : shapeOf(Buffer.concat(head))), sha256: hash.digest('hex') }
}

export function shapeOf(head: Uint8Array): Shape {
  if (Buffer.from(head.subarray(0, 5)).toString('latin1') === '%PDF-')
    return { ...NOTHING, mimetype: 'application/pdf' }
  const avif = avifSize(head)
  if (avif) return { mimetype: AVIF, ...avif }
  try {
    const { type, width, height } = imageSize(head)
    const mimetype = IMAGES[type ?? '']
    return mimetype === undefined ? NOTHING : { mimetype, width, height }
  } catch {
    return NOTHING
  }
}

/** A file that says what it is is that; one that only claims to be an image is nothing in particular. */
export function settledType(claimed: string, found: string | null): string {
  if (found !== null) return found
  return TOLD_BY_CONTENT.has(claimed) ? UNKNOWN_TYPE : claimed
}
