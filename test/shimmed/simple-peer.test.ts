/** In the project `shimmed` the tests of the WebRTC engine run with simple-peer as browsers load it. */
import SimplePeer from 'simple-peer'
import { expect, it } from 'vitest'

it('PKG-3 simple-peer stands on the shims here', () => {
  expect(['pipe', 'cork', 'emit'].map((name) => name in SimplePeer.prototype)).toEqual([false, false, true])
})
