/**
 * Opens a stored file of a secure contact with the key that `read.mjs` prints as `meta.key` of its entry `file`: by
 * https://c2sp.org/chunked-encryption and Node's own cryptography.
 *
 *   node open-file.mjs stored-file key > file
 */
import { createDecipheriv, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

const CHUNK = 16_384
const TAG = 16
/** Salt and commitment. */
const HEADER = 56

/** HKDF-Expand (RFC 5869) with SHA-512. @param {Uint8Array} key @param {Uint8Array} info @param {number} length */
function expand(key, info, length) {
  let block = Buffer.alloc(0)
  const blocks = []
  for (let count = 1; blocks.length * 64 < length; count += 1) {
    block = createHmac('sha512', key).update(block).update(info).update(Uint8Array.of(count)).digest()
    blocks.push(block)
  }
  return Buffer.concat(blocks).subarray(0, length)
}

/** @param {Uint8Array} stored @param {string} key base64 of 32 bytes @returns {Buffer} */
export function openFile(stored, key) {
  const bytes = Buffer.from(stored)
  const label = Buffer.from('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0', 'ascii')
  const info = Buffer.concat([label, bytes.subarray(0, 24), Buffer.from('duolog/1 file', 'ascii')])
  const derived = expand(Buffer.from(key, 'base64'), info, 76)
  if (!derived.subarray(44).equals(bytes.subarray(24, HEADER))) throw new Error('it is another key')
  const parts = []
  for (let at = HEADER, chunk = 0; ; chunk += 1, at += CHUNK + TAG) {
    const part = bytes.subarray(at, at + CHUNK + TAG)
    const nonce = Buffer.from(derived.subarray(32, 44))
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ chunk) >>> 0, 8)
    const decipher = createDecipheriv('aes-256-gcm', derived.subarray(0, 32), nonce)
    decipher.setAuthTag(part.subarray(-TAG))
    parts.push(decipher.update(part.subarray(0, -TAG)), decipher.final())
    if (part.length < CHUNK + TAG) return Buffer.concat(parts)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [path = '', key = ''] = process.argv.slice(2)
  process.stdout.write(openFile(await readFile(path), key))
}
