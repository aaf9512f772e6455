import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** Bytes are passed on this often, milliseconds. */
const TICK_MS = 100
/** What waits here beyond this is left to the kernel's buffers. */
const QUEUE_BYTES = 16_384

export interface SlowLine {
  readonly url: string
  /** WebSockets that were asked for through it. */
  readonly webSockets: () => number
  /** Carries so many bytes a second from now on, each way and on each connection. */
  limit(bytesPerSecond: number): void
  close(): Promise<void>
}

/** A way to a service as fast as a test says; at first as fast as it goes. */
export async function slowLine(target: string): Promise<SlowLine> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let perTick = Number.POSITIVE_INFINITY
  let webSockets = 0
  const carry = (from: Socket, to: Socket): void => {
    let queue = Buffer.alloc(0)
    const pass = (): void => {
      const bytes = Math.min(queue.length, perTick)
      if (bytes > 0) to.write(queue.subarray(0, bytes))
      queue = queue.subarray(bytes)
      if (queue.length < QUEUE_BYTES) from.resume()
    }
    from.on('data', (chunk) => {
      queue = Buffer.concat([queue, chunk])
      if (perTick === Number.POSITIVE_INFINITY) pass()
      else if (queue.length >= QUEUE_BYTES) from.pause()
    })
    const timer = setInterval(pass, TICK_MS)
    to.on('close', () => clearInterval(timer))
  }
  const server = createServer((near) => {
    near.once('data', (head) => (webSockets += head.includes('transport=websocket') ? 1 : 0))
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    carry(near, far)
    carry(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    webSockets: () => webSockets,
    limit: (bytesPerSecond) => (perTick = Math.floor((bytesPerSecond * TICK_MS) / 1_000)),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
