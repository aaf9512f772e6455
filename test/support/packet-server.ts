/** Services of which only the packets of Engine.IO are real: a test writes them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { untilCalled } from './until-called.ts'

export const GREETING =
  '0{"sid":"s","upgrades":[],"pingInterval":10000,"pingTimeout":10000,"maxPayload":131072}'

export interface PacketServer {
  readonly url: string
  /** Packets of the client, in order. */
  readonly received: readonly string[]
  /** Resolves when a client is there. */
  readonly connected: Promise<void>
  send(packet: string): void
  /** Called for each packet of the client. */
  onReceived: () => void
  close(): void
}

const listen = async (http: Server): Promise<string> => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** Over a WebSocket. */
export async function webSocketServer(): Promise<PacketServer> {
  const http = createServer((_request, answer) => answer.writeHead(404).end())
  const sockets = new WebSocketServer({ server: http, path: '/v1/link/' })
  const received: string[] = []
  const [connected, connect] = untilCalled()
  sockets.on('connection', (socket) => {
    connect()
    socket.on('message', (data) => {
      received.push(String(data as Buffer))
      server.onReceived()
    })
  })
  const server: PacketServer = {
    url: await listen(http),
    received,
    connected,
    send: (packet) => {
      for (const socket of sockets.clients) socket.send(packet)
    },
    onReceived: () => {},
    close: () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      http.close()
    },
  }
  return server
}

/** Over long polling. Requests that Engine.IO would refuse are answered with 400. */
export class PollingServer implements PacketServer {
  readonly received: string[] = []
  /** Packets of each answer to a poll, and of each request that sent some. */
  readonly answers: string[][] = []
  readonly requests: string[][] = []
  readonly connected: Promise<void>
  readonly url: string
  onReceived: () => void = () => {}
  readonly #http: Server
  readonly #connect: () => void
  #waiting: string[] = []
  #poll: ServerResponse | null = null
  #isPosting = false
  #isGreeted = false
  #refusal = 0

  private constructor(http: Server, url: string) {
    ;[this.connected, this.#connect] = untilCalled()
    this.#http = http
    this.url = url
    http.on('request', (request: IncomingMessage, answer: ServerResponse) => {
      void this.#hear(request, answer)
    })
  }

  static async start(): Promise<PollingServer> {
    const http = createServer()
    return new PollingServer(http, await listen(http))
  }

  send(packet: string): void {
    this.#waiting.push(packet)
    this.#flush()
  }

  /** The answer to the poll that waits, written by the test. */
  takePoll(): ServerResponse {
    const poll = this.#poll
    if (!poll) throw new Error('no poll waits')
    this.#poll = null
    this.#isGreeted = true
    return poll
  }

  /** Refuses all requests that send something. */
  refuse(status: number): void {
    this.#refusal = status
  }

  /** Resolves when a poll waits. */
  async polled(): Promise<void> {
    while (!this.#poll) await once(this.#http, 'polled')
  }

  /** Resolves when none does. */
  async polledNoMore(): Promise<void> {
    while (this.#poll) await once(this.#http, 'poll ended')
  }

  close(): void {
    this.#http.closeAllConnections()
    this.#http.close()
  }

  async #hear(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { searchParams } = new URL(request.url ?? '', this.url)
    const isGood =
      searchParams.get('EIO') === '4' &&
      searchParams.get('transport') === 'polling' &&
      searchParams.get('sid') === (this.#isGreeted ? 's' : null) &&
      request.headers.authorization === 'Bearer token'
    if (!isGood || (request.method === 'POST' ? this.#isPosting : this.#poll)) {
      this.received.push(`refused ${request.method} ${request.url}`)
      return void answer.writeHead(400).end()
    }
    if (request.method === 'POST') return this.#take(request, answer)
    this.#poll = answer
    answer.on('close', () => {
      if (this.#poll === answer) this.#poll = null
      this.#http.emit('poll ended')
    })
    this.#connect()
    this.#http.emit('polled')
    this.#flush()
  }

  async #take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (this.#refusal > 0) return void answer.writeHead(this.#refusal).end()
    this.#isPosting = true
    const packets = (await text(request)).split('\u001E')
    this.#isPosting = false
    answer.end('ok')
    this.requests.push(packets)
    this.received.push(...packets)
    this.onReceived()
  }

  #flush(): void {
    if (!this.#poll || this.#waiting.length === 0) return
    this.answers.push(this.#waiting)
    this.takePoll().end(this.#waiting.join('\u001E'))
    this.#waiting = []
  }
}
