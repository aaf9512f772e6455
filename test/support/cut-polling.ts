import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy that passes no WebSockets and breaks one request: before the service has it, before its answer begins,
 * or within the answer. The requests and answers count up to it; a request and its answer have two places each.
 */
export async function cutPolling(target: string, at: number) {
  let left = at
  const isHere = (): boolean => (left -= 1) === -1
  const server = createServer((near, answer) => {
    if (isHere()) return void near.destroy()
    const far = request(new URL(near.url ?? '', target), { method: near.method, headers: near.headers })
    far.on('error', () => answer.destroy())
    answer.on('close', () => far.destroy())
    far.on('response', (response) => {
      if (isHere()) return void answer.destroy()
      answer.writeHead(response.statusCode ?? 502, response.headers)
      if (!isHere()) return void response.pipe(answer)
      response.once('data', (part: Buffer) => {
        answer.write(part.subarray(0, part.length / 2), () => answer.destroy())
      })
    })
    near.pipe(far)
  })
  // Only what is to be cut is: an idle connection that ends as a request comes would be another cut.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    WebSocket: null,
    isCut: () => left < 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
