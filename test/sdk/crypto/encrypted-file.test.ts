/** A file as it is stored, read in any parts: encryption.md, section 8. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64 } from '../../../sdk/crypto/bytes.ts'
import { EncryptedFile } from '../../../sdk/crypto/encrypted-file.ts'
import { openedFile, storedSize } from '../../../sdk/crypto/files.ts'

const CHUNK = 16_384
const STORED = CHUNK + 16
const HEADER = 56

const bytesOf = async (blob: Blob): Promise<Buffer<ArrayBuffer>> => Buffer.from(await blob.arrayBuffer())
const whole = (file: EncryptedFile): Promise<Buffer<ArrayBuffer>> => file.slice(0, file.size).then(bytesOf)
const opened = (stored: BlobPart, key: string): Promise<Buffer> =>
  new Response(
    new Blob([stored]).stream().pipeThrough(openedFile(crypto, fromBase64(key) ?? new Uint8Array())),
  )
    .arrayBuffer()
    .then((bytes) => Buffer.from(bytes))

/** A file whose bytes a test changes. */
function changing(size: number): { blob: Blob; change: (at: number) => void; take: () => void } {
  const bytes = Uint8Array.from(randomBytes(size))
  let isThere = true
  const slice = (start: number, end: number): Blob =>
    isThere
      ? new Blob([bytes.slice(start, end)])
      : Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) })
  return {
    blob: Object.assign(new Blob([bytes]), { slice }),
    change: (at) => void (bytes[at] = (bytes[at] ?? 0) ^ 1),
    take: () => void (isThere = false),
  }
}

describe('an encrypted file', () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 100_000])(
    'ENC-310 of %i bytes has the stored size, and its key opens it',
    async (size) => {
      const file = Uint8Array.from(randomBytes(size))
      const encrypted = await EncryptedFile.of(new Blob([file]))
      const stored = await whole(encrypted)
      expect([stored.length, encrypted.size]).toEqual([storedSize(size), storedSize(size)])
      expect((await opened(stored, encrypted.key)).equals(file)).toBe(true)
      expect(fromBase64(encrypted.key)).toHaveLength(32)
    },
  )

  it('ENC-311 gives the same bytes from any offset, in any parts, any number of times', async () => {
    const encrypted = await EncryptedFile.of(new Blob([randomBytes(5 * CHUNK + 77)]))
    const stored = await whole(encrypted)
    const place = fc.integer({ min: 0, max: stored.length })
    const edge = fc.integer({ min: 0, max: 5 }).map((chunk) => HEADER + chunk * STORED)
    const end = fc.oneof(place, edge)
    await fc.assert(
      fc.asyncProperty(end, end, async (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)]
        const part = await bytesOf(await encrypted.slice(from, to))
        expect(part.equals(stored.subarray(from, to))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('ENC-312 twice has two keys, and nothing in common', async () => {
    const blob = new Blob([new Uint8Array(40)])
    const [one, other] = [await EncryptedFile.of(blob), await EncryptedFile.of(blob)]
    expect(one.key).not.toBe(other.key)
    const [first, second] = [await whole(one), await whole(other)]
    expect(first.subarray(0, 24).equals(second.subarray(0, 24))).toBe(false)
    await expect(opened(first, other.key)).rejects.toMatchObject({ code: 'tampered' })
  })

  it('ENC-313 that has changed gives nothing of a chunk that was made before, with invalid_argument', async () => {
    const { blob, change } = changing(3 * CHUNK)
    const encrypted = await EncryptedFile.of(blob)
    const first = await bytesOf(await encrypted.slice(0, HEADER + STORED + 5))
    change(CHUNK + 9)
    expect((await bytesOf(await encrypted.slice(0, HEADER + STORED))).equals(first.subarray(0, -5))).toBe(
      true,
    )
    for (const [start, end] of [
      [0, encrypted.size],
      [HEADER + STORED, HEADER + STORED + 5],
      [HEADER + 2 * STORED - 1, HEADER + 2 * STORED],
    ] as const)
      await expect(encrypted.slice(start, end)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('changed') as unknown,
      })
    change(CHUNK + 9)
    expect((await bytesOf(await encrypted.slice(0, first.length))).equals(first)).toBe(true)
  })

  it('ENC-313 that cannot be read any more gives invalid_argument', async () => {
    const { blob, take } = changing(10)
    const encrypted = await EncryptedFile.of(blob)
    take()
    await expect(encrypted.slice(0, encrypted.size)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('ENC-314 a page without crypto.subtle gives no_crypto', async () => {
    const getRandomValues = crypto.getRandomValues.bind(crypto)
    await expect(EncryptedFile.of(new Blob(), { getRandomValues })).rejects.toMatchObject({
      code: 'no_crypto',
    })
  })
})
