import {
  createCipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  verify,
  webcrypto,
} from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../protocol/index.ts'
import { isSigned, shareToSign } from '../../../sdk/crypto/agent-signature.ts'
import { comparedCode, commitOf, deriveKey, keyPair, sharedSecret } from '../../../sdk/crypto/agreement.ts'
import { ascii, base64, concat, fromBase64 } from '../../../sdk/crypto/bytes.ts'
import { canonicalJson } from '../../../sdk/crypto/chain.ts'
import { decryptBytes, encryptBytes } from '../../../sdk/crypto/cipher.ts'
import { FileCipher, fileSize, openedFile, storedSize, storedSlice } from '../../../sdk/crypto/files.ts'
import { equalBytes, hkdfExpand, hkdfExtract, hmacSha512 } from '../../../sdk/crypto/hash.ts'

const hex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'))
const asHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const counting = (from: number, length = 32): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, at) => from + at)
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

/** Its types describe another export than it has. */
const reference = canonicalize as unknown as (value: unknown) => string

describe('published vectors', () => {
  it('ENC-650 RFC 7518 B.3: A256CBC-HS512', () => {
    const key = counting(0, 64)
    const plaintext = ascii(
      'A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience',
    )
    const sealing = {
      iv: hex('1af38c2dc2b96ffdd86694092341bc04'),
      aad: ascii('The second principle of Auguste Kerckhoffs'),
    }
    const keys = { mac: key.slice(0, 32), cipher: key.slice(32) }
    const { body, tag } = encryptBytes(keys, sealing, plaintext)
    expect(asHex(body)).toBe(
      '4affaaadb78c31c5da4b1b590d10ffbd3dd8d5d302423526912da037ecbcc7bd822c301dd67c373bccb584ad3e9279c2e6d12a1374b77f077553df829410446b36ebd97066296ae6427ea75c2e0846a11a09ccf5370dc80bfecbad28c73f09b3a3b75e662a2594410ae496b2e2e6609e31e6e02cc837f053d21f37ff4f51950bbe2638d09dd7a4930930806d0703b1f6',
    )
    expect(asHex(tag)).toBe('4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5')
    expect(decryptBytes(keys, { iv: sealing.iv, body, tag }, sealing.aad)).toEqual(plaintext)
  })

  it.each([
    [
      '1',
      '0b'.repeat(20),
      asHex(ascii('Hi There')),
      '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
    ],
    [
      '2',
      asHex(ascii('Jefe')),
      asHex(ascii('what do ya want for nothing?')),
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    ],
    [
      '3',
      'aa'.repeat(20),
      'dd'.repeat(50),
      'fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb',
    ],
    [
      '6',
      'aa'.repeat(131),
      asHex(ascii('Test Using Larger Than Block-Size Key - Hash Key First')),
      '80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598',
    ],
  ])('ENC-650 RFC 4231 case %s: HMAC-SHA-512', (_case, key, message, mac) => {
    expect(asHex(hmacSha512(hex(key), hex(message)))).toBe(mac)
  })

  // The RFC has outputs of SHA-256 and SHA-1: its inputs, with the outputs of SHA-512 as OpenSSL has them.
  it.each([
    [
      '1',
      { secret: '0b'.repeat(22), salt: '000102030405060708090a0b0c', info: 'f0f1f2f3f4f5f6f7f8f9' },
      '665799823737ded04a88e47e54a5890bb2c3d247c7a4254a8e61350723590a26c36238127d8661b88cf80ef802d57e2f7cebcf1e00e083848be19929c61b4237',
      '832390086cda71fb47625bb5ceb168e4c8e26a1a16ed34d9fc7fe92c1481579338da362cb8d9f925d7cb',
    ],
    [
      '3',
      { secret: '0b'.repeat(22), salt: '', info: '' },
      'fd200c4987ac491313bd4a2a13287121247239e11c9ef82802044b66ef357e5b194498d0682611382348572a7b1611de54764094286320578a863f36562b0df6',
      'f5fa02b18298a72a8c23898a8703472c6eb179dc204c03425c970e3b164bf90fff22d04836d0e2343bac',
    ],
  ])('ENC-650 RFC 5869 case %s with SHA-512: HKDF', (_case, { secret, salt, info }, prk, okm) => {
    const key = hkdfExtract(hex(salt), hex(secret))
    expect([asHex(key), asHex(hkdfExpand(key, hex(info), 42))]).toEqual([prk, okm])
  })

  it('ENC-650 RFC 7748 section 6.1: X25519', () => {
    const alice = keyPair(hex('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a'))
    const bob = keyPair(hex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'))
    expect(asHex(alice.publicKey)).toBe('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a')
    expect(asHex(bob.publicKey)).toBe('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f')
    const shared = '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'
    expect([asHex(sharedSecret(alice, bob.publicKey)), asHex(sharedSecret(bob, alice.publicKey))]).toEqual([
      shared,
      shared,
    ])
  })

  it('ENC-650 RFC 8032 section 7.1, test 3: Ed25519, as Node signs', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const signer = base64(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
    const share = {
      contact: 'c-1',
      agent: 'ada',
      agentSession: 'a-1',
      commit: counting(1),
      agentKey: counting(33),
    }
    const signature = sign(null, shareToSign(share), privateKey)
    expect(isSigned(share, { signer, signature: base64(signature) }, [signer])).toBe(true)
    expect(isSigned(share, { signer, signature: base64(signature) }, [])).toBe(false)
    expect(isSigned({ ...share, agent: 'bob' }, { signer, signature: base64(signature) }, [signer])).toBe(
      false,
    )
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const half = signature.subarray(32).toReversed()
    const shifted = BigInt(`0x${asHex(half)}`) + order
    const more = concat(signature.subarray(0, 32), hex(shifted.toString(16).padStart(64, '0')).toReversed())
    expect(verify(null, shareToSign(share), publicKey, more)).toBe(false)
    expect(isSigned(share, { signer, signature: base64(more) }, [signer])).toBe(false)
  })

  it('ENC-650 the vector of this protocol', () => {
    const [visitor, agent] = [keyPair(counting(0x01)), keyPair(counting(0x41))]
    const commit = commitOf('c-1', 'v-1', visitor.publicKey)
    const transcript = {
      contact: 'c-1',
      visitorSession: 'v-1',
      agentSession: 'a-1',
      commit,
      agentKey: agent.publicKey,
      visitorKey: visitor.publicKey,
      resumed: null,
    }
    const key = deriveKey(sharedSecret(visitor, agent.publicKey), transcript)
    expect(deriveKey(sharedSecret(agent, visitor.publicKey), transcript)).toEqual(key)
    expect(asHex(commit)).toMatch(/^87ab0f94.*3c9b8e2f$/)
    expect(asHex(fromBase64(key.id) ?? new Uint8Array())).toBe('9e964b73367c7171')
    expect(comparedCode(key.code)).toEqual({ digits: '2181095913801', symbols: [31, 47, 19, 28, 39, 37, 9] })
  })
})

describe('independent implementations', () => {
  it('ENC-651 jose opens what is encrypted here, and what it encrypts is opened here', async () => {
    const key = Uint8Array.from(randomBytes(64))
    const keys = { mac: key.slice(0, 32), cipher: key.slice(32) }
    const url = (part: Uint8Array): string => Buffer.from(part).toString('base64url')
    const header = url(ascii(JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512' })))
    for (const length of [0, 1, 15, 16, 17, 1_000]) {
      const [plaintext, iv] = [Uint8Array.from(randomBytes(length)), Uint8Array.from(randomBytes(16))]
      const { body, tag } = encryptBytes(keys, { iv, aad: ascii(header) }, plaintext)
      const own = [header, '', url(iv), url(body), url(tag)].join('.')
      expect(Uint8Array.from((await compactDecrypt(own, key)).plaintext)).toEqual(plaintext)
      const theirs = await new CompactEncrypt(plaintext)
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
        .encrypt(key)
      const [protectedHeader = '', , ...parts] = theirs.split('.')
      const [theirIv, theirBody, theirTag] = parts.map((part) =>
        Uint8Array.from(Buffer.from(part, 'base64url')),
      )
      if (!theirIv || !theirBody || !theirTag) throw new Error('jose gives five parts')
      const opened = decryptBytes(
        keys,
        { iv: theirIv, body: theirBody, tag: theirTag },
        ascii(protectedHeader),
      )
      expect(opened).toEqual(plaintext)
    }
  })

  it('ENC-651 HKDF and X25519 are those of Node', () => {
    fc.assert(
      fc.property(
        bytes(32),
        bytes(64),
        fc.uint8Array({ maxLength: 40 }),
        fc.integer({ min: 1, max: 200 }),
        (secret, salt, info, length) => {
          const own = hkdfExpand(hkdfExtract(salt, secret), info, length)
          expect(asHex(own)).toBe(asHex(new Uint8Array(hkdfSync('sha512', secret, salt, info, length))))
        },
      ),
      { numRuns: 50 },
    )
    const der = { private: hex('302e020100300506032b656e04220420'), public: hex('302a300506032b656e032100') }
    fc.assert(
      fc.property(bytes(32), bytes(32), (one, other) => {
        const [own, theirs] = [keyPair(one), keyPair(other)]
        const secret = diffieHellman({
          privateKey: createPrivateKey({
            key: Buffer.from(concat(der.private, one)),
            format: 'der',
            type: 'pkcs8',
          }),
          publicKey: createPublicKey({
            key: Buffer.from(concat(der.public, theirs.publicKey)),
            format: 'der',
            type: 'spki',
          }),
        })
        fc.pre(asHex(own.publicKey) !== asHex(theirs.publicKey))
        expect(asHex(sharedSecret(own, theirs.publicKey))).toBe(secret.toString('hex'))
      }),
      { numRuns: 25 },
    )
  })

  it('ENC-651 canonical JSON is that of the reference implementation of RFC 8785', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(value as JsonValue)).toBe(reference(value))
      }),
      { numRuns: 500 },
    )
    expect(
      canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 }),
    ).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}')
  })

  it('ENC-651 a stored file is that of the specification, reckoned with Node', async () => {
    const [inputKey, salt] = [Uint8Array.from(randomBytes(32)), Uint8Array.from(randomBytes(24))]
    const file = Uint8Array.from(randomBytes(20_000))
    const info = concat(
      ascii('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0'),
      salt,
      ascii('duolog/1 file'),
    )
    const blocks: Buffer[] = []
    for (const count of [1, 2])
      blocks.push(
        createHmac('sha512', inputKey)
          .update(concat(blocks.at(-1) ?? new Uint8Array(), info, Uint8Array.of(count)))
          .digest(),
      )
    const derived = Buffer.concat(blocks)
    const chunk = (number: number): Uint8Array => {
      const nonce = Buffer.from(derived.subarray(32, 44))
      nonce[11] = (nonce[11] ?? 0) ^ number
      const gcm = createCipheriv('aes-256-gcm', derived.subarray(0, 32), nonce)
      return concat(
        gcm.update(file.subarray(number * 16_384, (number + 1) * 16_384)),
        gcm.final(),
        gcm.getAuthTag(),
      )
    }
    const expected = concat(salt, derived.subarray(44, 76), chunk(0), chunk(1))
    const cipher = await FileCipher.forWriting(webcrypto as Crypto, { inputKey, salt })
    const stored = await storedSlice(new Blob([file]), cipher, { start: 0, end: storedSize(file.length) })
    expect(equalBytes(stored, expected)).toBe(true)
    expect([stored.length, fileSize(stored.length)]).toEqual([storedSize(20_000), 20_000])
    const opened = new Blob([stored]).stream().pipeThrough(openedFile(webcrypto as Crypto, inputKey))
    expect(equalBytes(new Uint8Array(await new Response(opened).arrayBuffer()), file)).toBe(true)
  })
})
