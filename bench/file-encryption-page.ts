/** Runs in the page: a file through the encryption of the SDK, in memory. */
import { fromBase64 } from '../sdk/crypto/bytes.ts'
import { EncryptedFile } from '../sdk/crypto/encrypted-file.ts'
import { openedFile } from '../sdk/crypto/files.ts'

const PART_BYTES = 4 * 1024 * 1024

let parts: Blob[] = []
let key = new Uint8Array()

/** Encrypts so many bytes in the parts of an upload; milliseconds. */
async function encrypt(bytes: number): Promise<number> {
  const file = new Blob([new Uint8Array(bytes)])
  parts = []
  const started = performance.now()
  const encrypted = await EncryptedFile.of(file)
  for (let at = 0; at < encrypted.size; at += PART_BYTES)
    parts.push(await encrypted.slice(at, Math.min(at + PART_BYTES, encrypted.size)))
  key = fromBase64(encrypted.key) ?? key
  return performance.now() - started
}

/** Opens what was encrypted last, as a download does; milliseconds. */
async function open(bytes: number): Promise<number> {
  const started = performance.now()
  const opened = await new Response(new Blob(parts).stream().pipeThrough(openedFile(crypto, key))).blob()
  if (opened.size !== bytes) throw new Error(`${opened.size} of ${bytes} bytes were opened`)
  return performance.now() - started
}

Object.assign(globalThis, { measures: { encrypt, open } })
