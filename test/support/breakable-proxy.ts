import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'

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
  /** Breaks every connection, and each that is made from now on, until the way is open again. */
  refuse(on: boolean): void
  /** Number of connections to it and from it. */
  connections(): number
  close(): Promise<void>
}

/**
 * A way to a service, or to the socket of a path, that a test can break. `filter`: what each connection's answers
 * go through.
 */
export async function breakableProxy(target: string, filter?: () => Duplex): Promise<BreakableProxy> {
  const reach = (): Socket => {
    if (target.startsWith('/')) return connect(target)
    const { hostname, port } = new URL(target)
    return connect(Number(port), hostname)
  }
  const sockets = new Set<Socket>()
  let isBlocked = false
  let isRefused = false
  const server = createServer((near) => {
    if (isRefused) return void near.destroy()
    const far = reach()
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    if (isBlocked) return
    near.pipe(far)
    if (filter) far.pipe(filter()).pipe(near)
    else far.pipe(near)
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
  const refuse = (on: boolean): void => {
    isRefused = on
    if (on) cut()
  }
  const close = async (): Promise<void> => {
    cut()
    await new Promise((resolve) => server.close(resolve))
  }
  const connections = (): number => sockets.size
  return {
    connections,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    stall,
    block,
    refuse,
    close,
  }
}
