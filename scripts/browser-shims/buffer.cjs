/**
 * In the place of `buffer`: simple-peer is used without its stream of bytes, so that this much is asked for.
 */
exports.Buffer = class Buffer extends Uint8Array {
  /** @param {unknown} value */
  static isBuffer = (value) => value instanceof Buffer
  /** @param {number} size */
  static alloc = (size) => new Buffer(size)
  static allocUnsafe = Buffer.alloc
  static allocUnsafeSlow = Buffer.alloc
  /** @override @param {any} value */
  static from = (value) => new Buffer(typeof value === 'string' ? new TextEncoder().encode(value) : value)

  /** In hexadecimal: nothing else is written. @override */
  toString = () => Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
