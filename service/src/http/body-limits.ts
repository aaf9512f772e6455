import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { LIMITS } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'

/** How long the body of a request may take to come in. */
export interface BodyLimits {
  readonly clock: ServiceClock
  /** In all; what a page sends over long polling has as long as the slowest line takes, where that is longer. */
  readonly wholeMs: number
  /** Of an upload, which is as large as a file: without anything of it. It is looked at this often. */
  readonly silenceMs: number
}

/** A line carries this at least, bytes each millisecond: half of 32 kbit/s. */
const SLOWEST = 2

/** By this code the server answers with 408. */
const CODE = 'ERR_HTTP_REQUEST_TIMEOUT'

const isUpload = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'PATCH' && url.startsWith('/v1/uploads/')
const isPacket = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/v1/link/')
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Ends connections on which a body takes too long, those of Socket.IO too: it is called when everyone else
 * listens, and hears before them.
 */
export function limitBodies(server: Server, { clock, wholeMs, silenceMs }: BodyLimits): void {
  // Node's own limit is the same for all, whatever arrives.
  server.requestTimeout = 0
  const limitOf = (request: IncomingMessage): number => {
    if (isUpload(request)) return silenceMs
    const bytes = Math.min(Number(request.headers['content-length'] ?? 0), LIMITS.frameBytes)
    return isPacket(request) ? Math.max(wholeMs, bytes / SLOWEST) : wholeMs
  }
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return
    const { socket } = request
    let timer: unknown = null
    let read = -1
    const look = (): void => {
      if (request.complete) return
      // What has been answered already is no upload any more.
      if (!isUpload(request) || socket.bytesRead === read || response.writableEnded)
        return cut(server, request, response)
      read = socket.bytesRead
      timer = clock.setTimeout(look, silenceMs)
    }
    timer = clock.setTimeout(look, limitOf(request))
    request.once('close', () => clock.clearTimeout(timer))
  })
}

function cut(server: Server, { socket }: IncomingMessage, { headersSent }: ServerResponse): void {
  if (headersSent) socket.destroy()
  else server.emit('clientError', Object.assign(new Error('the body takes too long'), { code: CODE }), socket)
}
