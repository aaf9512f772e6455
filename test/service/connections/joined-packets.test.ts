import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import { Server } from 'socket.io'
import type { Socket } from 'socket.io'
import { io } from 'socket.io-client'
import { afterEach, expect, it, vi } from 'vitest'
import { coalescePackets } from '../../../service/src/connections/coalesced-packets.ts'

const ends: (() => unknown)[] = []
afterEach(() => Promise.all(ends.splice(0).map((end) => end())))

/** A connection that joins its packets, and what its other end hears. */
async function connection(): Promise<{ readonly socket: Socket; readonly heard: string[] }> {
  const http = createServer()
  const server = new Server(http)
  await new Promise<void>((settle) => http.listen(0, '127.0.0.1', settle))
  const client = io(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { transports: ['websocket'] })
  ends.push(
    () => client.close(),
    () => server.close(),
  )
  const heard: string[] = []
  client.onAny((name: string) => heard.push(name))
  const socket = await new Promise<Socket>((settle) => server.on('connection', settle))
  await new Promise<void>((settle) => client.once('connect', settle))
  coalescePackets(socket)
  return { socket, heard }
}

it('LOG-2 what is sent to a connection in one turn leaves in one write, in order, also what follows in microtasks', async () => {
  const { socket, heard } = await connection()
  const writes = vi.spyOn(socket.conn.request.socket, '_writev' as never)
  socket.emit('first')
  void Promise.resolve().then(() => socket.emit('third'))
  socket.emit('second')
  await expect.poll(() => heard).toEqual(['first', 'second', 'third'])
  expect(writes).toHaveBeenCalledOnce()
  socket.emit('fourth')
  await expect.poll(() => heard).toHaveLength(4)
  expect(writes).toHaveBeenCalledTimes(2)
})

it('LOG-2 what was sent before the end of a connection still leaves', async () => {
  const { socket, heard } = await connection()
  socket.emit('last')
  socket.disconnect(true)
  await expect.poll(() => heard).toEqual(['last'])
})
