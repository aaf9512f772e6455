import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface BreakableProxy {
  readonly url: string
  /** Breaks every connection through it, without a word. */
  cut(): void
  /**
   * Carries nothing more on the connections that there are, and tells nobody: half-open, as after a sleep or
   * a change of networks.
   */
  stall(): void
  /** The same on every connection from now on, until the way is open again: a network that is gone. */
  block(on: boolean): void
  close(): Promise<void>
}

/** A way to a service that a test can break. */
export async function breakableProxy(target: string): Promise<BreakableProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isBlocked = false
  const server = createServer((near) => {
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
    if (!isBlocked) near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const stall = (): void => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  const block = (on: boolean): void => {
    isBlocked = on
    if (on) stall()
    else cut()
  }
  const close = async (): Promise<void> => {
    cut()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, stall, block, close }
}
