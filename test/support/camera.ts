/**
 * Files that Chromium plays as camera and microphone, so that a test can recognise them on the other side.
 */
import { writeFile } from 'node:fs/promises'

export type Colour = readonly [red: number, green: number, blue: number]

/** Colours that stay far apart after encoding. */
export const COLOURS = {
  red: [208, 32, 32],
  green: [32, 176, 48],
  blue: [32, 64, 208],
  yellow: [208, 192, 32],
} as const satisfies Record<string, Colour>

const clamp = (value: number): number => Math.max(0, Math.min(255, Math.round(value)))

function toYuv([r, g, b]: Colour): Colour {
  return [
    clamp(16 + 0.257 * r + 0.504 * g + 0.098 * b),
    clamp(128 - 0.148 * r - 0.291 * g + 0.439 * b),
    clamp(128 + 0.439 * r - 0.368 * g - 0.071 * b),
  ]
}

/** One I420 picture of one colour. */
export function i420(colour: Colour, width: number, height: number): Uint8Array {
  const [y, u, v] = toYuv(colour)
  const [luma, chroma] = [width * height, (width / 2) * (height / 2)]
  const picture = new Uint8Array(luma + 2 * chroma)
  picture.fill(y, 0, luma)
  picture.fill(u, luma, luma + chroma)
  picture.fill(v, luma + chroma)
  return picture
}

/** A y4m film of one colour, for `--use-file-for-fake-video-capture`. */
export async function writeCamera(
  path: string,
  colour: Colour,
  size = { width: 320, height: 240 },
): Promise<void> {
  const header = Buffer.from(`YUV4MPEG2 W${size.width} H${size.height} F20:1 Ip A1:1 C420jpeg\n`)
  const frame = Buffer.concat([Buffer.from('FRAME\n'), i420(colour, size.width, size.height)])
  await writeFile(path, Buffer.concat([header, ...Array.from({ length: 10 }, () => frame)]))
}

/**
 * A wav file of one tone, for `--use-file-for-fake-audio-capture`, which plays it over and over. A whole
 * number of periods: no click at the seam.
 */
export async function writeTone(path: string, hz: number, seconds = 1): Promise<void> {
  const rate = 48_000
  const samples = Math.round(Math.round(hz * seconds) * (rate / hz))
  const body = Buffer.alloc(samples * 2)
  for (let i = 0; i < samples; i++)
    body.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * hz * i) / rate)), i * 2)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + body.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(body.length, 40)
  await writeFile(path, Buffer.concat([head, body]))
}
