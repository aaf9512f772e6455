import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balancerConfig } from '../deployment/balancer.ts'
import { Gate } from '../deployment/gate.ts'

let server: Server
let gate: Gate
let heard = ''
let far: Socket | null = null

const listening = async (onLine: (socket: Socket) => void): Promise<Server> => {
  const made = createServer(onLine)
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  return made
}
const portOf = (of: Server): number => (of.address() as AddressInfo).port

beforeEach(async () => {
  heard = ''
  server = await listening((socket) => {
    far = socket
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard += String(bytes)
      socket.write(`re ${String(bytes)}`)
    })
  })
  gate = await Gate.open(portOf(server))
})
afterEach(async () => {
  await gate.close()
  server.close()
})

/** A client through the gate, and what it has got. */
async function client() {
  const socket = connect(gate.port, '127.0.0.1')
  const got = { text: '', ended: false }
  socket.on('error', () => {})
  socket.on('data', (bytes) => (got.text += String(bytes)))
  socket.on('close', () => (got.ended = true))
  await once(socket, 'connect')
  return { socket, got }
}

describe('a way that can be cut', () => {
  it('CLU-126 carries both directions, and is cut in one of them or both until it is open again', async () => {
    const { socket, got } = await client()
    socket.write('1')
    await expect.poll(() => got.text).toBe('re 1')
    gate.set('deaf')
    socket.write('2')
    far?.write('news')
    await expect.poll(() => got.text).toBe('re 1news')
    expect(heard).toBe('1')
    gate.set('open')
    await expect.poll(() => got.text).toBe('re 1newsre 2')
    gate.set('mute')
    socket.write('3')
    await expect.poll(() => heard).toBe('123')
    expect(got.text).toBe('re 1newsre 2')
    gate.set('open')
    await expect.poll(() => got.text).toBe('re 1newsre 2re 3')
    gate.set('silent')
    socket.write('4')
    const other = await client()
    other.socket.write('5')
    gate.set('open')
    await expect.poll(() => heard.length).toBe(5)
    other.socket.destroy()
    socket.destroy()
  })

  it('CLU-126 refuses, and leads elsewhere: the connections that there are end', async () => {
    const first = await client()
    gate.set('refused')
    await expect.poll(() => first.got.ended).toBe(true)
    const refused = await client()
    await expect.poll(() => refused.got.ended).toBe(true)
    gate.set('open')
    const second = await client()
    const elsewhere = await listening((socket) => socket.end('elsewhere'))
    gate.lead(portOf(elsewhere))
    await expect.poll(() => second.got.ended).toBe(true)
    const third = await client()
    await expect.poll(() => third.got.text).toBe('elsewhere')
    elsewhere.close()
  })

  it('CLU-126 with packet loss everything arrives, once and in order', async () => {
    gate.lose(1)
    const { socket, got } = await client()
    socket.write('1')
    await expect.poll(() => heard).toBe('1')
    socket.write('2')
    await expect.poll(() => got.text).toBe('re 1re 2')
    gate.lose(0)
    socket.destroy()
  })
})

/** A gate that takes one packet as lost, and the moment in which it has. */
async function losesFirst() {
  let lost = (): void => {}
  const isLost = new Promise<void>((settle) => (lost = settle))
  let first = true
  const random = (): number => {
    if (!first) return 1
    first = false
    lost()
    return 0
  }
  await gate.close()
  gate = await Gate.open(portOf(server), { random })
  gate.lose(0.5)
  return { isLost }
}

describe('the order of a direction', () => {
  it('CLU-157 what comes after a lost packet waits for it, also where a way is opened meanwhile', async () => {
    const { isLost } = await losesFirst()
    const { socket } = await client()
    socket.write('1')
    await isLost
    gate.set('open')
    socket.write('2')
    await expect.poll(() => heard).toBe('12')
    socket.destroy()
  })

  it('CLU-157 what is on its way when the way is cut arrives when it is open again, and the end after it', async () => {
    const { isLost } = await losesFirst()
    const { socket } = await client()
    socket.write('1')
    await isLost
    gate.set('deaf')
    socket.end('2')
    const ended = once(far ?? server, 'close')
    gate.set('open')
    await ended
    expect(heard).toBe('12')
  })

  it('CLU-157 megabytes arrive whole while packets are lost and ways are cut and opened', async () => {
    let seed = 7
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
    const sink = await listening((socket) => {
      socket.on('error', () => {})
      socket.on('data', (bytes) => taken.push(bytes))
      socket.once('end', () => whole())
    })
    const taken: Buffer[] = []
    let whole = (): void => {}
    const isWhole = new Promise<void>((settle) => (whole = settle))
    await gate.close()
    gate = await Gate.open(portOf(sink), { random })
    gate.lose(0.2)
    const sent = Buffer.alloc(4_000_000)
    for (let at = 0; at < sent.length; at += 4) sent.writeUInt32BE(at, at)
    const { socket } = await client()
    const cuts = setInterval(() => gate.set(random() < 0.3 ? 'deaf' : 'open'), 3)
    socket.end(sent)
    await isWhole
    clearInterval(cuts)
    expect(Buffer.concat(taken).equals(sent)).toBe(true)
    sink.close()
  })
})

describe('a way that takes long', () => {
  it('CLU-140 everything arrives so much later, and in its order when it takes no longer', async () => {
    const { socket, got } = await client()
    gate.delay(60)
    const start = performance.now()
    socket.write('1')
    await expect.poll(() => heard).toBe('1')
    expect(performance.now() - start).toBeGreaterThan(55)
    socket.write('2')
    gate.delay(0)
    socket.write('3')
    await expect.poll(() => got.text.replaceAll(/\D/g, '')).toBe('123')
    socket.destroy()
  })
})

describe('the load balancer', () => {
  it('CLU-127 asks each node whether it is ready, and ends no connection of one that is not', () => {
    const text = balancerConfig({ port: 1, nodes: [{ name: 'node-1', port: 2 }] })
    expect(text).toContain('option httpchk GET /readyz')
    expect(text).not.toContain('shutdown-sessions')
    expect(text).toContain('server node-1 127.0.0.1:2')
  })
})
