import { expect, it } from 'vitest'
import { shapeOf } from '../../../service/src/attachments/file-facts.ts'

/** A box of the ISO base media format. */
const box = (type: string, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}
const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4))
  return bytes
}
/** An AVIF image with a preview of these sizes. */
const avif = (...sizes: readonly (readonly [number, number])[]): Buffer =>
  Buffer.concat([
    box('ftyp', Buffer.from('mif1'), numbers(0), Buffer.from('avifmif1miaf')),
    box(
      'meta',
      numbers(0),
      box('hdlr', numbers(0, 0), Buffer.from('pict'), numbers(0, 0, 0)),
      box('iprp', box('ipco', ...sizes.map((size) => box('ispe', numbers(0, ...size))))),
    ),
    box('mdat', Buffer.alloc(64)),
  ])

it('ATT-2 an AVIF image is one, with the size of the image and not of its preview', () => {
  expect(shapeOf(avif([8, 6], [40, 30]))).toEqual({ mimetype: 'image/avif', width: 40, height: 30 })
})

it('ATT-6 what only looks like one is nothing in particular', () => {
  const image = avif([40, 30])
  const heic = Buffer.from(image.toString('latin1').replaceAll('avif', 'heic'), 'latin1')
  const cut = image.subarray(0, 40)
  const torn = Buffer.concat([image.subarray(0, 28), numbers(3), image.subarray(32)])
  for (const bytes of [heic, cut, torn, avif(), avif([0, 0]), Buffer.from('ftypavif')])
    expect(shapeOf(bytes).mimetype).not.toBe('image/avif')
})
