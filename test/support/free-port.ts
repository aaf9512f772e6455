import { createServer } from 'node:net'
import { randomInt } from 'node:crypto'

/**
 * Below what the system gives to sockets that name no port (32,768 to 60,999 on Linux): a server that is
 * stopped and started again finds its port free, for TCP and UDP.
 */
const PORTS = { from: 10_000, to: 32_000 } as const

/** A port of this machine's own address that nobody listens on. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.from, PORTS.to)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}
