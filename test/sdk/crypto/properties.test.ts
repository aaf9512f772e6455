import { randomBytes, webcrypto } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { JsonValue } from '../../../protocol/index.ts'
import { fieldData, frameData, memberData, valueData } from '../../../sdk/crypto/associated-data.ts'
import { keyPair, sharedSecret } from '../../../sdk/crypto/agreement.ts'
import { base64, concat, fromBase64 } from '../../../sdk/crypto/bytes.ts'
import { decryptValue, encryptJson, encryptText, parseCiphertext } from '../../../sdk/crypto/cipher.ts'
import { FileCipher, fileSize, openedFile, storedSize, storedSlice } from '../../../sdk/crypto/files.ts'

const keys = { mac: Uint8Array.from(randomBytes(32)), cipher: Uint8Array.from(randomBytes(32)) }
const key = base64(randomBytes(8))
const writer = { contact: 'c-1', slot: 'visitor' } as const
const entry = { ...writer, session: 's-1', counter: 7, id: 's-1.7', type: 'text' }
const frame = { ...writer, from: 's-1', to: 's-2', n: 3, kind: 'rpc' }
const fresh = (aad: Uint8Array) => ({ ...writer, key, keys, aad, iv: Uint8Array.from(randomBytes(16)) })
const open = (text: string, aad: Uint8Array): JsonValue => decryptValue(parseCiphertext(text), keys, aad)
const tampered = expect.objectContaining({ name: 'ContactError', code: 'tampered' })

/** Each place in which a ciphertext can stand, and that place with one of its parts changed. */
const PLACES: Uint8Array[] = [
  valueData(writer),
  valueData({ ...writer, contact: 'c-2' }),
  valueData({ ...writer, slot: 'agent' }),
  memberData(writer, 'text'),
  memberData(writer, 'desc'),
  fieldData(entry, 'text'),
  fieldData(entry, 'desc'),
  fieldData({ ...entry, contact: 'c-2' }, 'text'),
  fieldData({ ...entry, slot: 'agent' }, 'text'),
  fieldData({ ...entry, session: 's-2' }, 'text'),
  fieldData({ ...entry, counter: 8 }, 'text'),
  fieldData({ ...entry, id: 's-1.8' }, 'text'),
  fieldData({ ...entry, type: 'link' }, 'text'),
  frameData(frame),
  frameData({ ...frame, to: 's-3' }),
  frameData({ ...frame, from: 's-3' }),
  frameData({ ...frame, n: 4 }),
  frameData({ ...frame, kind: 'data' }),
]

describe('a ciphertext', () => {
  it('ENC-652 opens to what was encrypted, texts and values', () => {
    const wellFormed = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(wellFormed, (text) => {
        expect(open(encryptText(text, fresh(valueData(writer))), valueData(writer))).toBe(text)
      }),
      { numRuns: 60 },
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const there = JSON.parse(JSON.stringify(value)) as JsonValue
        expect(open(encryptJson(there, fresh(valueData(writer))), valueData(writer))).toEqual(there)
      }),
      { numRuns: 60 },
    )
  })

  it('ENC-652 has the size that the protocol names, and no other opens', () => {
    for (const length of [0, 1, 14, 15, 16, 31, 200, 8_192]) {
      const text = 'x'.repeat(length)
      const bytes = fromBase64(encryptText(text, fresh(valueData(writer)))) ?? new Uint8Array()
      expect(bytes.length).toBe(57 + 16 * (Math.floor((length + 1) / 16) + 1))
      for (const cut of [bytes.slice(1), bytes.slice(0, -1), bytes.slice(0, -16), new Uint8Array()])
        expect(() => open(base64(cut), valueData(writer))).toThrow(tampered)
    }
  })

  it('ENC-652 opens nowhere else', () => {
    for (const there of PLACES)
      for (const here of PLACES) {
        const sealed = encryptText('x', fresh(there))
        if (here === there) expect(open(sealed, here)).toBe('x')
        else expect(() => open(sealed, here)).toThrow(tampered)
      }
  })

  it('ENC-652 with any one bit changed is another writer, another key, or does not open', () => {
    const bytes = fromBase64(encryptText('hello', fresh(valueData(writer)))) ?? new Uint8Array()
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = bytes.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const isIdOrSlot = bit < 72
      const outcome = (): string => {
        const parsed = parseCiphertext(base64(changed))
        return parsed.key === key && parsed.slot === 'visitor'
          ? JSON.stringify(open(base64(changed), valueData(writer)))
          : 'another'
      }
      if (isIdOrSlot) expect(['another', 'tampered']).toContain(caught(outcome))
      else expect(outcome).toThrow(tampered)
    }
  })

  it('ENC-652 is taken in its only base64 form', () => {
    const sealed = encryptText('x', fresh(valueData(writer)))
    for (const other of [
      `${sealed}=`,
      sealed.replace(/=*$/, ''),
      ` ${sealed}`,
      `${sealed}\n`,
      sealed.replaceAll('+', '-'),
      `${sealed.slice(0, 4)}*${sealed.slice(5)}`,
    ])
      if (other !== sealed) expect(() => parseCiphertext(other)).toThrow(tampered)
    expect(fromBase64('QQ==')).toEqual(Uint8Array.of(65))
    expect(fromBase64('QR==')).toBeNull()
  })

  it('ENC-652 whatever comes from the wire gives tampered and nothing else', () => {
    const shaped = fc
      .uint8Array({ minLength: 0, maxLength: 140 })
      .map((bytes) => base64(concat(Uint8Array.of(0x10), bytes)))
    fc.assert(
      fc.property(fc.oneof(fc.string(), shaped), (text) => {
        expect(caught(() => JSON.stringify(open(text, valueData(writer))))).toBe('tampered')
      }),
      { numRuns: 2_000 },
    )
  })

  it('ENC-652 a text with a lone surrogate is refused, and so are keys and ids of another length', () => {
    expect(() => encryptText('\ud800', fresh(valueData(writer)))).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    const short = { mac: new Uint8Array(32), cipher: new Uint8Array(16) }
    expect(() => encryptText('x', { ...fresh(valueData(writer)), keys: short })).toThrow(RangeError)
    expect(() => encryptText('x', { ...fresh(valueData(writer)), key: 'AAAA' })).toThrow(RangeError)
  })
})

/** The code of what a call throws, or what it gives. */
function caught(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return error instanceof ContactError ? error.code : `another error: ${String(error)}`
  }
}

describe('an agreement', () => {
  it('ENC-653 refuses the own key, keys of low order and what is no key', () => {
    const own = keyPair(Uint8Array.from(randomBytes(32)))
    const lowOrder = [
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0100000000000000000000000000000000000000000000000000000000000000',
      'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
      '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    ].map((text) => Uint8Array.from(Buffer.from(text, 'hex')))
    for (const theirs of [own.publicKey, new Uint8Array(31), new Uint8Array(), ...lowOrder])
      expect(() => sharedSecret(own, theirs)).toThrow(tampered)
  })
})

describe('a file', () => {
  const subtle = webcrypto as Crypto
  const secret = (): { inputKey: Uint8Array; salt: Uint8Array } => ({
    inputKey: Uint8Array.from(randomBytes(32)),
    salt: Uint8Array.from(randomBytes(24)),
  })
  const opened = async (stored: Uint8Array<ArrayBuffer>, inputKey: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(
      await new Response(new Blob([stored]).stream().pipeThrough(openedFile(subtle, inputKey))).arrayBuffer(),
    )

  it('ENC-654 of any size is opened as it was, and stored alike in whatever slices it is read', async () => {
    for (const size of [0, 1, 16_383, 16_384, 16_385, 40_000]) {
      const [file, own] = [Uint8Array.from(randomBytes(size)), secret()]
      const cipher = await FileCipher.forWriting(subtle, own)
      const blob = new Blob([file])
      const whole = await storedSlice(blob, cipher, { start: 0, end: storedSize(size) })
      const parts: Uint8Array[] = []
      for (let at = 0; at < whole.length; at += 9_973)
        parts.push(await storedSlice(blob, cipher, { start: at, end: Math.min(whole.length, at + 9_973) }))
      expect(Buffer.compare(concat(...parts), whole)).toBe(0)
      expect(fileSize(whole.length)).toBe(size)
      expect(Buffer.compare(await opened(whole, own.inputKey), file)).toBe(0)
    }
  })

  it('ENC-654 that is cut, longer, reordered, changed or under another key does not open', async () => {
    const [file, own] = [Uint8Array.from(randomBytes(40_000)), secret()]
    const cipher = await FileCipher.forWriting(subtle, own)
    const whole = await storedSlice(new Blob([file]), cipher, { start: 0, end: storedSize(file.length) })
    const chunk = 16_400
    const flipped = (at: number): Uint8Array<ArrayBuffer> =>
      whole.map((byte, place) => (place === at ? byte ^ 1 : byte))
    const swapped = concat(
      whole.subarray(0, 56),
      whole.subarray(56 + chunk, 56 + 2 * chunk),
      whole.subarray(56, 56 + chunk),
      whole.subarray(56 + 2 * chunk),
    )
    const others = [
      whole.slice(0, 40),
      whole.slice(0, 56),
      whole.slice(0, 56 + chunk),
      whole.slice(0, 56 + 2 * chunk),
      whole.slice(0, -1),
      concat(whole, new Uint8Array(1)),
      swapped,
      flipped(0),
      flipped(30),
      flipped(60),
      flipped(whole.length - 1),
    ]
    for (const other of others) await expect(opened(other, own.inputKey)).rejects.toThrow(tampered)
    await expect(opened(whole, secret().inputKey)).rejects.toThrow(tampered)
    for (const size of [0, 55, 71, 56 + chunk, 56 + chunk + 15])
      expect(() => fileSize(size)).toThrow(tampered)
  })
})
