import { describe, expect, it } from 'vitest'
import { loadShims, missingIn } from '../../scripts/shims.mjs'

const shims = await loadShims()
const missing = (code: string): string[] => missingIn(code, shims)

describe('what a package uses of the shims', () => {
  it.each([
    ["const { Buffer } = require('buffer'); Buffer.from('x')", []],
    ["const { Buffer } = require('buffer'); Buffer.concat([])", ['buffer.Buffer.concat']],
    ["const { SlowBuffer } = require('buffer')", ['buffer.SlowBuffer']],
    [
      "const all = require('buffer'); const Other = all.Buffer; Other.byteLength('x')",
      ['buffer.Buffer.byteLength'],
    ],
    ["const debug = require('debug')('name'); debug('x'); debug.enabled", ['debug().enabled']],
    ["import { Buffer } from 'buffer'; Buffer.from('x'); Buffer.concat([])", ['buffer.Buffer.concat']],
    ["import { kMaxLength } from 'buffer'", ['buffer.kMaxLength']],
    ["const { Readable } = require('readable-stream')", ['readable-stream.Readable']],
    ["require('readable-stream/passthrough')", ['readable-stream/passthrough']],
    ["const stream = require('readable-stream'); (stream) => stream.getTracks()", []],
    [
      "const stream = require('readable-stream'); class A extends stream.Duplex { a() { this.b = 1; this.a(); this.b; this.emit('x'); this.pipe(c) } }",
      ['readable-stream.Duplex#pipe'],
    ],
  ])('PKG-3 %s', (code, lacks) => {
    expect(missing(code)).toEqual(lacks)
  })

  it('PKG-3 what the default export of a module lacks', () => {
    const code = "import Url from 'url'; new Url('/', 'http://a'); Url.qs"
    expect(missingIn(code, { url: { default: URL } })).toEqual(['url.default.qs'])
  })
})

describe('the emitter in place of readable-stream', () => {
  it('PKG-3 calls who listens in order, once where asked, and no longer who has stopped', () => {
    const { Duplex } = shims['readable-stream'] as { readonly Duplex: new () => NodeJS.EventEmitter }
    const emitter = new Duplex()
    const heard: unknown[] = []
    const note = (...values: unknown[]): void => void heard.push(values)
    emitter.on('a', note)
    emitter.once('a', () => heard.push('once'))
    emitter.once('b', note)
    emitter.removeListener('b', note)
    expect([emitter.emit('a', 1, 2), emitter.emit('a', 3), emitter.emit('b')]).toEqual([true, true, false])
    expect(heard).toEqual([[1, 2], 'once', [3]])
  })
})
