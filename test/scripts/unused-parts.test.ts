import { readFile, readdir } from 'node:fs/promises'
import { build } from 'esbuild'
import { minify } from 'terser'
import nacl from 'tweetnacl'
import { expect, it } from 'vitest'
import { commonJs } from '../../scripts/commonjs.mjs'
import { inRoot } from '../../scripts/run.mjs'
import { reachedPart } from '../../scripts/unused-parts.mjs'
import { keyPair, sharedSecret } from '../../sdk/crypto/agreement.ts'
import { isSigned, shareToSign } from '../../sdk/crypto/agent-signature.ts'
import { base64 } from '../../sdk/crypto/bytes.ts'
import { decryptBytes, encryptBytes } from '../../sdk/crypto/cipher.ts'
import { equalBytes, sha512 } from '../../sdk/crypto/hash.ts'

const whole = { keyPair, sharedSecret, isSigned, decryptBytes, encryptBytes, equalBytes, sha512 }
type Cryptography = typeof whole

/** What browsers are served of it. */
async function served(): Promise<{ readonly code: string; readonly cryptography: Cryptography }> {
  const { outputFiles } = await build({
    stdin: {
      contents: ['agreement', 'agent-signature', 'cipher', 'hash']
        .map((file) => `export * from './sdk/crypto/${file}.ts'`)
        .join('\n'),
      resolveDir: inRoot(),
    },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022', minify: true },
    plugins: [commonJs],
    tsconfigRaw: {},
  })
  const { code = '' } = await minify(outputFiles[0]?.text ?? '', { module: true, compress: { passes: 3 } })
  return {
    code,
    cryptography: (await import(
      `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
    )) as Cryptography,
  }
}

const bytes = (length: number, from: number) => Uint8Array.from({ length }, (_, at) => (at * 7 + from) % 256)
const share = {
  ...{ contact: 'c', agent: 'a', agentSession: 's', commit: bytes(32, 1), agentKey: bytes(32, 2) },
}

it('cryptography without its unused parts gives what the whole gives', async () => {
  const { code, cryptography: part } = await served()
  const keys = { mac: bytes(32, 3), cipher: bytes(32, 4) }
  const signer = nacl.sign.keyPair.fromSeed(bytes(32, 5))
  const signature = base64(Uint8Array.from(nacl.sign.detached(shareToSign(share), signer.secretKey)))
  const trusted = base64(Uint8Array.from(signer.publicKey))
  for (let length = 0; length < 40; length += 1) {
    const [plaintext, how] = [bytes(length, 6), { iv: bytes(16, length), aad: bytes(length, 8) }]
    const sealed = part.encryptBytes(keys, how, plaintext)
    expect(sealed).toEqual(whole.encryptBytes(keys, how, plaintext))
    expect(part.decryptBytes(keys, { iv: how.iv, ...sealed }, how.aad)).toEqual(plaintext)
    expect(part.sha512(plaintext)).toEqual(whole.sha512(plaintext))
    const [own, theirs] = [part.keyPair(bytes(32, length)), whole.keyPair(bytes(32, length + 1))]
    expect(part.sharedSecret(own, theirs.publicKey)).toEqual(
      whole.sharedSecret(theirs, whole.keyPair(bytes(32, length)).publicKey),
    )
  }
  for (const contact of ['c', 'd'])
    expect(part.isSigned({ ...share, contact }, { signer: trusted, signature }, [trusted])).toBe(
      contact === 'c',
    )
  expect(part.equalBytes(bytes(4, 1), bytes(4, 1))).toBe(true)
  expect(code.length).toBeLessThan(34_500)
})

it('what nothing reaches is left out, each part of it, and no other file is touched', async () => {
  const read = (name: string): Promise<string> => readFile(inRoot('node_modules', name), 'utf8')
  const left = (code: string): string[] =>
    [...code.matchAll(/^nacl\.([\w.]+) = /gm)].map(([, name = '']) => name).toSorted()
  const whole = await read('tweetnacl/nacl-fast.js')
  const part = reachedPart(inRoot('node_modules/tweetnacl/nacl-fast.js'), whole)
  expect(left(part)).toEqual([
    ...['box', 'box.keyPair', 'box.keyPair.fromSecretKey', 'box.publicKeyLength', 'hash', 'scalarMult'],
    ...['setPRNG', 'sign', 'sign.detached', 'sign.detached.verify', 'sign.publicKeyLength', 'verify'],
  ])
  expect(left(whole).length).toBeGreaterThan(left(part).length)
  for (const name of ['enc-base64', 'evpkdf', 'md5'])
    expect(reachedPart(inRoot(`node_modules/crypto-js/${name}.js`), 'x')).toBe('export default {}')
  for (const path of ['crypto-js/aes.js', 'crypto-js/enc-base64url.js', 'md5.js', 'tweetnacl/nacl.js'])
    expect(reachedPart(inRoot('node_modules', path), 'nacl.x = 1;')).toBe('nacl.x = 1;')
})

it('everything that the SDK asks of tweetnacl is in the part', async () => {
  const files = (await readdir(inRoot('sdk/crypto'))).map((file) => inRoot('sdk/crypto', file))
  const code = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('')
  const asked = new Set([...code.matchAll(/\bnacl\.([\w.]+)\b/g)].map(([, name = '']) => name))
  expect([...asked].toSorted()).toEqual([
    ...['box.keyPair.fromSecretKey', 'box.publicKeyLength', 'hash', 'scalarMult', 'sign.detached.verify'],
    ...['sign.publicKeyLength', 'verify'],
  ])
})
