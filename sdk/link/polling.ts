import { CLOSE, OPEN, PacketSocket } from './packet-socket.ts'
import type { Carrier, CarrierEvents, OpenSocket, SocketOptions } from './wire-socket.ts'

/** Stands between the packets of one body. */
const SEPARATOR = '\u001e'
/** Characters that one request takes, a larger packet apart: the answer to a ping waits for it. */
const REQUEST_LENGTH = 16_384
/** For the service to greet. */
const GREETING_LIMIT_MS = 10_000
/** For the service to hear of the end. */
const CLOSE_LIMIT_MS = 5_000

/** The Socket.IO protocol over long polling, where no WebSocket gets through. */
export const openPolling: OpenSocket = ({ service, auth }, events) =>
  new PacketSocket(
    { auth, greetingLimitMs: GREETING_LIMIT_MS, carry: (heard) => new Polling(service, auth, heard) },
    // Nothing else is tried after it.
    { ...events, down: (error) => events.down(error, true) },
  )

/**
 * Long polling of Engine.IO 4: one GET at a time, whose answer has what the service sends, and one POST at a
 * time. Packets are told as they arrive, before the answer is whole: what announces a large packet is told
 * before that is here.
 */
class Polling implements Carrier {
  /** It has `sid` once the service has greeted. */
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #heard: CarrierEvents
  readonly #end = new AbortController()
  /** Packets that no request has taken. */
  #waiting: string[] = []
  #sending: Promise<void> | null = null
  #isClosed = false

  constructor(service: string, { token }: SocketOptions['auth'], heard: CarrierEvents) {
    this.#url = new URL('/v1/link/?EIO=4&transport=polling', service)
    this.#headers = { authorization: `Bearer ${token}` }
    this.#heard = heard
    this.#poll().catch(heard.lost)
  }

  send(packet: string): void {
    this.#waiting.push(packet)
    this.#sending ??= this.#post()
  }

  /** Tells the service, behind what was sent before. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (!this.#isGreeted) return this.#end.abort()
    this.send(CLOSE)
    const limit = setTimeout(() => this.#end.abort(), CLOSE_LIMIT_MS)
    void this.#sending?.then(() => {
      clearTimeout(limit)
      this.#end.abort()
    })
  }

  get #isGreeted(): boolean {
    return this.#url.searchParams.has('sid')
  }

  async #poll(): Promise<void> {
    while (!this.#isClosed) {
      const { body } = await this.#request()
      if (body) await this.#read(body.getReader())
      if (!this.#isGreeted) throw new Error('the service does not greet')
    }
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const [end = '', ...packets] = decoder.decode(part.value, { stream: true }).split(SEPARATOR)
      text += end
      for (const packet of packets) {
        this.#take(text)
        text = packet
      }
    }
    this.#take(text)
  }

  #take(packet: string): void {
    if (!/^[0-6]/.test(packet)) throw new Error('the service answered something else than packets')
    if (packet.startsWith(OPEN) && !this.#isGreeted) {
      const { sid } = JSON.parse(packet.slice(1)) as { readonly sid: string }
      this.#url.searchParams.set('sid', sid)
    }
    this.#heard.packet(packet)
  }

  /** Sends what waits, until nothing does. */
  async #post(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await (await this.#request(this.#nextBody())).text()
      this.#sending = null
    } catch (cause) {
      this.#waiting = []
      this.#sending = null
      this.#heard.lost(cause)
    }
  }

  #nextBody(): string {
    let body = this.#waiting.shift() ?? ''
    while (body.length + (this.#waiting[0]?.length ?? REQUEST_LENGTH) < REQUEST_LENGTH)
      body += SEPARATOR + this.#waiting.shift()
    return body
  }

  async #request(body?: string): Promise<Response> {
    const response = await fetch(this.#url, {
      headers: this.#headers,
      signal: this.#end.signal,
      // The end is told also where the page goes; a browser takes at most 64 KiB then.
      ...(body !== undefined && {
        ...{ method: 'POST', body, keepalive: this.#isClosed && body.length <= REQUEST_LENGTH },
      }),
    })
    if (!response.ok) throw new Error(`the service answered ${response.status}`)
    return response
  }
}
