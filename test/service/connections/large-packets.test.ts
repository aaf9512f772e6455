import { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { countArrivingBytes } from '../../../service/src/connections/arriving-bytes.ts'
import { announceLargePackets } from '../../../service/src/connections/large-packets.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A connection of Engine.IO: what it sends, and how often its timeout is put off. */
function connection() {
  const sent: string[] = []
  let signs = 0
  const tcp = new EventEmitter()
  const conn = Object.assign(new EventEmitter(), {
    transport: Object.assign(new EventEmitter(), { socket: { _socket: tcp } }),
    pingTimeoutTimer: { refresh: () => void (signs += 1) },
    sendPacket: (type: string, data?: string) => void sent.push(`${type} ${data?.slice(0, 40) ?? ''}`),
  })
  return { conn, tcp, sent, signs: () => signs, socket: { conn } as unknown as Socket }
}

it('SND-347 a large packet is announced, and its page may take its time until it has arrived', () => {
  const { conn, sent, signs, socket } = connection()
  let inTransit = 0
  announceLargePackets(socket, () => inTransit)
  conn.sendPacket('message', `2${'x'.repeat(10_000)}`)
  conn.sendPacket('ping')
  expect(sent.length).toBe(2)
  inTransit = 98_304
  conn.sendPacket('message', 'x'.repeat(98_304))
  expect(sent.slice(2)).toEqual(['message 2["link.coming",{"bytes":98304}]', `message ${'x'.repeat(40)}`])
  vi.advanceTimersByTime(24_000)
  expect(signs()).toBe(8)
  inTransit = 0
  vi.advanceTimersByTime(60_000)
  expect([signs(), vi.getTimerCount()]).toEqual([8, 0])
})

it('SND-347 a line that died with a large packet on it is noticed when the packet should have arrived', () => {
  const { conn, signs, socket } = connection()
  announceLargePackets(socket, () => 98_304)
  conn.sendPacket('message', 'x'.repeat(98_304))
  vi.advanceTimersByTime(600_000)
  expect([signs(), vi.getTimerCount()]).toEqual([16, 0])
  conn.sendPacket('message', 'x'.repeat(98_304))
  conn.emit('close')
  expect(vi.getTimerCount()).toBe(0)
})

it('SND-347 a page is told every 3 s that its packet is arriving, and nothing of what comes whole', () => {
  const { conn, tcp, socket } = connection()
  const tell = vi.fn()
  // Engine.IO reads a packet as its last bytes come.
  let isLast = true
  tcp.on('data', () => isLast && conn.emit('packet'))
  countArrivingBytes(socket, tell)
  for (let pong = 0; pong < 5; pong++) {
    tcp.emit('data', Buffer.alloc(7))
    vi.advanceTimersByTime(3_500)
  }
  expect(tell).not.toHaveBeenCalled()
  isLast = false
  for (let part = 0; part < 24; part++) {
    tcp.emit('data', Buffer.alloc(4_000))
    vi.advanceTimersByTime(1_000)
  }
  expect(tell).toHaveBeenCalledTimes(7)
  isLast = true
  tcp.emit('data', Buffer.alloc(7))
  vi.advanceTimersByTime(3_500)
  tell.mockClear()
  tcp.emit('data', Buffer.alloc(7))
  expect(tell).not.toHaveBeenCalled()
})
