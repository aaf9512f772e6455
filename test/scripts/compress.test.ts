import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compressFolder } from '../../scripts/compress.mjs'
import { inRoot } from '../../scripts/run.mjs'

let folder = ''
let large = Buffer.alloc(0)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compress-'))
  large = (await readFile(inRoot('package-lock.json'))).subarray(0, 150_000)
  const small = large.subarray(0, 4_000)
  await Promise.all([
    writeFile(join(folder, 'large.js'), large),
    writeFile(join(folder, 'small.css'), small),
    writeFile(join(folder, 'tiny.js'), 'export {}'),
    writeFile(join(folder, 'picture.png'), small),
  ])
})

afterAll(() => rm(folder, { recursive: true }))

it.each([{ small: false }, { small: true }])(
  'PKG-2 what is compressed at build time is the file again (%o)',
  async (options) => {
    await compressFolder(folder, options)
    for (const name of ['large.js', 'small.css']) {
      const [file, gz, br] = await Promise.all(
        ['', '.gz', '.br'].map((end) => readFile(join(folder, `${name}${end}`))),
      )
      if (!file || !gz || !br) throw new Error('a file is missing')
      expect(gunzipSync(gz).equals(file)).toBe(true)
      expect(brotliDecompressSync(br).equals(file)).toBe(true)
      const zlib = gzipSync(file, { level: 9 }).length
      expect(gz.length - zlib).toSatisfy((more: number) => (options.small ? more < 0 : more === 0))
    }
    const written = (await readdir(folder)).filter((name) => /\.(?:gz|br)$/.test(name))
    expect(written.toSorted()).toEqual(['large.js.br', 'large.js.gz', 'small.css.br', 'small.css.gz'])
  },
)
