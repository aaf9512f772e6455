import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { asModule, commonJs } from '../../scripts/commonjs.mjs'
import { inRoot } from '../../scripts/run.mjs'

const inModule = async (code: string): Promise<Record<string, unknown>> =>
  (await import(`data:text/javascript,${encodeURIComponent(asModule(code))}`)) as Record<string, unknown>

describe('CommonJS packages in the bundles', () => {
  it('PKG-17 what a package exports, under either name, is its default export', async () => {
    expect((await inModule('module.exports = exports = 41')).default).toBe(41)
    expect((await inModule('exports.one = 1')).default).toEqual({ one: 1 })
    expect((await inModule('exports.one = 1; exports.has = typeof require')).default).toEqual({
      one: 1,
      has: 'undefined',
    })
  })

  it('PKG-17 what it requires is imported once, but for the crypto of Node', () => {
    const code = `module.exports = [require('a'), require("./b"), require('a'), require('crypto')]`
    const [head, body] = asModule(code).split('const module=')
    expect(head).toBe("import required0 from 'a';import required1 from './b';")
    expect(body).toContain("[required0, required1, required0, require('crypto')]")
  })

  it('PKG-17 a module stays as it is', () => {
    const code = "import x from 'x'\nexport const module = { exports: x }\nmodule.exports = 1"
    expect(asModule(code)).toBe(code)
  })

  it('PKG-17 ciphers and keys bundled that way work, and esbuild adds no helper of its own', async () => {
    const contents = [
      "import AES from 'crypto-js/aes.js'",
      "import CryptoJS from 'crypto-js/core.js'",
      "import nacl from 'tweetnacl'",
      'const [key, iv] = [8, 4].map((length) => CryptoJS.lib.WordArray.create(Array(length).fill(7)))',
      'const text = CryptoJS.lib.WordArray.create([0x74657874], 4)',
      'const { ciphertext } = AES.encrypt(text, key, { iv, padding: { pad: (data) => data.concat(CryptoJS.lib.WordArray.create([1, 2, 3], 12)), unpad: () => {} } })',
      'export const { words } = AES.decrypt({ ciphertext }, key, { iv, padding: { pad: () => {}, unpad: () => {} } })',
      'export const { length } = nacl.hash(new Uint8Array(1))',
    ].join('\n')
    const { outputFiles, metafile } = await build({
      ...{ stdin: { contents, resolveDir: inRoot() }, bundle: true, format: 'esm', platform: 'browser' },
      ...{ write: false, metafile: true, plugins: [commonJs], logLevel: 'silent' },
    })
    const code = outputFiles[0]?.text ?? ''
    expect(code).not.toMatch(/__commonJS|__toESM/)
    expect(Object.values(metafile.inputs).map(({ format }) => format)).not.toContain('cjs')
    const { words, length } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    expect({ words, length }).toEqual({ words: [0x74657874, 1, 2, 3], length: 64 })
  })
})
