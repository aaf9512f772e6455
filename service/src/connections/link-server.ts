import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { Server } from 'socket.io'
import { LIMITS } from '../../../protocol/index.ts'
import type { OriginRule } from '../auth/origins.ts'
import { HandshakeTurns } from './handshake-turns.ts'

/**
 * Together with the next, how soon a dead connection is noticed: a page that is silent counts as gone within
 * 15 s.
 */
const PING_MS = 3_500
/**
 * With the grace of a lost connection, a page that is suspended has 70 s, wherever it was between two pings.
 */
const PONG_MS = 10_000

/** How long a browser keeps the answer to a preflight request of polling. */
const PREFLIGHT_S = 600

/** A request with its query as Engine.IO has parsed it. */
type EngineRequest = IncomingMessage & { readonly _query?: Readonly<Record<string, string>> }

export interface LinkServerOptions {
  readonly origins: OriginRule
  /** Whether long polling is offered beside WebSocket. */
  readonly polling: boolean
  /** Ids of connections begin with it and a dot, so that a load balancer finds their node; null: a single one. */
  readonly nodeName: string | null
}

/** The Socket.IO server under `/v1/link`, for pages of the allowed origins. */
export function linkServer(http: HttpServer, { origins, polling, nodeName }: LinkServerOptions): Server {
  const turns = new HandshakeTurns()
  const io = new Server(http, {
    path: '/v1/link',
    serveClient: false,
    allowEIO3: false,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: LIMITS.frameBytes,
    pingInterval: PING_MS,
    pingTimeout: PONG_MS,
    connectTimeout: 10_000,
    transports: polling ? ['polling', 'websocket'] : ['websocket'],
    cors: {
      origin: (origin, done) => done(null, origins.allows(origin)),
      methods: ['GET', 'POST'],
      maxAge: PREFLIGHT_S,
    },
    allowRequest: ({ headers }, done) => turns.add(() => done(null, origins.allowsRequest(headers))),
  })
  if (nodeName !== null) nameIds(io, nodeName)
  io.engine.use((request: EngineRequest, _response: unknown, next: (error?: Error) => void) =>
    next(
      namesTwice(request) || !isOfItsConnection(io, request) ? new Error('another connection') : undefined,
    ),
  )
  return io
}

function nameIds({ engine }: Server, nodeName: string): void {
  const newId = engine.generateId.bind(engine) as (request: IncomingMessage) => string
  engine.generateId = (request: IncomingMessage) => `${nodeName}.${newId(request)}`
}

/** A parameter given twice may be read differently by whoever reads the query. */
function namesTwice({ url = '' }: IncomingMessage): boolean {
  const names = [...new URL(url, 'http://service').searchParams.keys()]
  return new Set(names).size < names.length
}

/**
 * All requests of a connection have the same `Authorization`, or none: a stolen connection id alone is of no
 * use.
 */
function isOfItsConnection(io: Server, { _query, headers }: EngineRequest): boolean {
  const opened = io.engine['clients'][_query?.['sid'] ?? '']?.request?.headers
  return !opened || opened.authorization === headers.authorization
}
