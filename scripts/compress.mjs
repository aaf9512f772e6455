/**
 * Compresses what is served at build time: Brotli and gzip beside each file, which the service prefers. What is
 * published is compressed by Zopfli, whose gzip is 3 % smaller than that of zlib.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const zlib = promisify(gzip)
const TEXT = /\.(?:js|css|html|json|svg)$/
/** A smaller file gains nothing. */
const LEAST_BYTES = 512

/** A file of this size is compressed better in blocks, a smaller one takes seconds for bytes. */
const LEAST_FOR_BLOCKS = 100_000

/** More rounds than 5 take 10 bytes off the largest file. @param {Uint8Array} bytes */
async function zopfli(bytes) {
  const { gzipAsync } = await import('@gfx/zopfli')
  return gzipAsync(bytes, { numiterations: 5, blocksplitting: bytes.length >= LEAST_FOR_BLOCKS })
}

/** @param {string} path @param {boolean} small */
async function compress(path, small) {
  const bytes = await readFile(path)
  if (bytes.length < LEAST_BYTES) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const [br, gz] = await Promise.all([
    brotli(bytes, { params }),
    small ? zopfli(bytes) : zlib(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ])
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
}

/**
 * Writes `<file>.br` and `<file>.gz` for every text file below a folder.
 * @param {string} folder
 * @param {{ small?: boolean }} [options] `small`: gzip by Zopfli
 */
export async function compressFolder(folder, { small = false } = {}) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && TEXT.test(entry.name))
  await Promise.all(files.map((entry) => compress(join(entry.parentPath, entry.name), small)))
}
