/** Part of a file in the ISO base media format (ISO/IEC 14496-12): where what it holds begins and ends. */
interface Box {
  readonly type: string
  readonly from: number
  readonly to: number
}

const HEAD_BYTES = 8
/** Version and flags, which some boxes begin with. */
const FLAGS_BYTES = 4
const BRAND_BYTES = 4
const BRANDS = 64

function* boxesOf(bytes: Buffer, { from, to }: Pick<Box, 'from' | 'to'>): Generator<Box> {
  for (let at = from; at + HEAD_BYTES <= to;) {
    const size = bytes.readUInt32BE(at) || to - at
    if (size < HEAD_BYTES) return
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    yield { type, from: at + HEAD_BYTES, to: Math.min(at + size, to) }
    at += size
  }
}

function boxOf(bytes: Buffer, within: Pick<Box, 'from' | 'to'>, type: string): Box | undefined {
  for (const box of boxesOf(bytes, within)) if (box.type === type) return box
  return undefined
}

function isAvif(bytes: Buffer, whole: Pick<Box, 'from' | 'to'>): boolean {
  const [first] = boxesOf(bytes, whole)
  if (first?.type !== 'ftyp') return false
  const brands = bytes.toString('latin1', first.from, Math.min(first.to, first.from + BRANDS * BRAND_BYTES))
  return brands.match(/[^]{4}/g)?.includes('avif') ?? false
}

/**
 * The size of an AVIF image, each box looked at once; null where the bytes are none, or do not tell. Beside
 * the image itself there may be smaller ones: parts of it, and a preview.
 */
export function avifSize(head: Uint8Array): { readonly width: number; readonly height: number } | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const whole = { from: 0, to: bytes.length }
  if (!isAvif(bytes, whole)) return null
  const meta = boxOf(bytes, whole, 'meta')
  const properties = meta && boxOf(bytes, { from: meta.from + FLAGS_BYTES, to: meta.to }, 'iprp')
  const container = properties && boxOf(bytes, properties, 'ipco')
  if (!container) return null
  let size = { width: 0, height: 0 }
  for (const { type, from, to } of boxesOf(bytes, container)) {
    if (type !== 'ispe' || to - from < FLAGS_BYTES + 8) continue
    const [width, height] = [
      bytes.readUInt32BE(from + FLAGS_BYTES),
      bytes.readUInt32BE(from + FLAGS_BYTES + 4),
    ]
    if (width * height > size.width * size.height) size = { width, height }
  }
  return size.width === 0 ? null : size
}
