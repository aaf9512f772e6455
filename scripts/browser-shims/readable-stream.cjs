/**
 * In the place of `readable-stream`: simple-peer is a stream of what comes over its own data channel, which
 * nobody here reads or writes.
 * What a remote sends there is dropped instead of being kept for a reader.
 */
const { EventEmitter } = require('events')

exports.Duplex = class Duplex extends EventEmitter {
  readable = true
  writable = true
  _readableState = {}
  _writableState = {}
  push = () => true
  end = () => this
}
