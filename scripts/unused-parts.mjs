/** What the SDK never reaches of packages that are one piece: no bundler can tell. Browsers are spared it. */
import { basename } from 'node:path'
import { without } from './left-out.mjs'

/** Ways of crypto-js to take a password or a text, which the SDK does not give it. */
const UNREACHED = /[\\/]crypto-js[\\/](?:enc-base64|evpkdf|md5)\.js$/

/**
 * Of the rest of crypto-js: passwords, texts, random numbers, hashes, stream ciphers, its padding and its formats.
 * By the name of the file.
 * @type {Readonly<Record<string, import('./left-out.mjs').Cut>>}
 */
const CRYPTO_JS = {
  'core.js': {
    blocks: [
      "if (typeof window !== 'undefined' && window.crypto) {",
      "if (typeof self !== 'undefined' && self.crypto) {",
      "if (typeof globalThis !== 'undefined' && globalThis.crypto) {",
      "if (!crypto && typeof window !== 'undefined' && window.msCrypto) {",
      "if (!crypto && typeof global !== 'undefined' && global.crypto) {",
      "if (!crypto && typeof require === 'function') {",
      'var cryptoSecureRandomInt = function () {',
      ['var create = Object.create || (function () {', 'var create = Object.create;'],
      "if (properties.hasOwnProperty('toString')) {",
      'toString: function (encoder) {',
      'random: function (nBytes) {',
      'var Hex = C_enc.Hex = {',
      'var Latin1 = C_enc.Latin1 = {',
      'var Utf8 = C_enc.Utf8 = {',
      "if (typeof data == 'string') {",
      'var Hasher = C_lib.Hasher = BufferedBlockAlgorithm.extend({',
    ],
    texts: [],
  },
  'cipher-core.js': {
    blocks: [
      'var StreamCipher = C_lib.StreamCipher = Cipher.extend({',
      'var Pkcs7 = C_pad.Pkcs7 = {',
      'toString: function (formatter) {',
      'var OpenSSLFormatter = C_format.OpenSSL = {',
      '_parse: function (ciphertext, format) {',
      'var OpenSSLKdf = C_kdf.OpenSSL = {',
      'var PasswordBasedCipher = C_lib.PasswordBasedCipher = SerializableCipher.extend({',
      [
        'function selectCipherStrategy(key) {',
        'function selectCipherStrategy() { return SerializableCipher; }',
      ],
    ],
    texts: [
      ['padding: Pkcs7', ''],
      ['format: OpenSSLFormatter', ''],
      ['ciphertext = this._parse(ciphertext, cfg.format);', ''],
    ],
  },
}

/** What the SDK takes of tweetnacl, and what that hangs on. */
const NACL = [
  ...['hash', 'verify', 'scalarMult', 'setPRNG', 'box.publicKeyLength', 'box.keyPair.fromSecretKey'],
  ...['sign.publicKeyLength', 'sign.detached.verify'],
]
const HOLDERS = ['box', 'box.keyPair', 'sign', 'sign.detached']
const NACL_STATEMENT = /^nacl\.([\w.]+) = (?:(?:function|\{)[^]*?^\};|.*;)$/gm

/**
 * The code of a file without what is never reached: Terser leaves out what that alone has used.
 * @param {string} path
 * @param {string} code
 */
export function reachedPart(path, code) {
  if (UNREACHED.test(path)) return 'export default {}'
  const name = basename(path)
  const cut = /[\\/]crypto-js[\\/]/.test(path) ? CRYPTO_JS[name] : undefined
  if (cut) return without(code, cut, `crypto-js/${name}`)
  if (name !== 'nacl-fast.js') return code
  return code.replaceAll(NACL_STATEMENT, (statement, name) => {
    if (HOLDERS.includes(name)) return `nacl.${name} = {};`
    return NACL.includes(name) ? statement : ''
  })
}
