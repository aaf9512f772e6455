import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NetworkPlace } from '../deployment/network-place.ts'

/** Prints what it gets from an address, or that it got nothing in time. */
const ASK = `
const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1])
socket.setTimeout(700, () => { console.log('nothing'); process.exit() })
socket.on('data', (bytes) => { console.log(String(bytes)); process.exit() })`

describe.runIf(NetworkPlace.whyNot() === null)('a network of its own', () => {
  let place: NetworkPlace
  let server: Server
  beforeEach(async () => {
    place = new NetworkPlace(60)
    server = createServer((socket) => socket.on('error', () => {}).write('hello'))
    server.listen(0, place.outside)
    await once(server, 'listening')
  })
  afterEach(() => {
    server.close()
    place.close()
  })

  const ask = async (): Promise<string> => {
    const { port } = server.address() as AddressInfo
    const [command, args] = place.command(process.execPath, ['-e', ASK, place.outside, String(port)])
    return (await promisify(execFile)(command, [...args])).stdout.trim()
  }

  it('CLU-140 carries packets, and loses those of one direction or of both until it is mended', async () => {
    expect(await ask()).toBe('hello')
    place.lose({ arrives: 1, leaves: 0 })
    expect(await ask()).toBe('nothing')
    place.lose({ arrives: 0, leaves: 1 })
    expect(await ask()).toBe('nothing')
    place.lose({ arrives: 0, leaves: 0 })
    expect(await ask()).toBe('hello')
  })
})
