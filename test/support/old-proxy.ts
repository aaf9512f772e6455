import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy between a page and the service that passes no WebSockets. */
export interface OldProxy {
  readonly url: string
  /** Ids of the Engine.IO connections that it has seen. */
  readonly ids: ReadonlySet<string>
  /** Ends every connection that it has seen, for good. */
  cut(): void
  /** Carries nothing more of the connections that it has seen, and tells the service nothing of their end. */
  lose(): void
  close(): Promise<void>
}

/** Starts such a proxy before a service. */
export async function oldProxy(target: string): Promise<OldProxy> {
  const ids = new Set<string>()
  const dead = new Set<string>()
  const lost = new Set<string>()
  const server = createServer((near, answer) => {
    const url = new URL(near.url ?? '', target)
    const id = url.searchParams.get('sid')
    if (id !== null) ids.add(id)
    if (id !== null && dead.has(id)) return void answer.destroy()
    if (id !== null && lost.has(id)) return
    const far = request(url, { method: near.method, headers: near.headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    far.on('error', () => answer.destroy())
    answer.on('close', () => (id !== null && lost.has(id)) || far.destroy())
    near.pipe(far)
  })
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ids,
    cut: () => {
      for (const id of ids) dead.add(id)
      server.closeAllConnections()
    },
    lose: () => {
      for (const id of ids) lost.add(id)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
