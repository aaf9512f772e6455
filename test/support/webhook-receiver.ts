/** The organisation's back end, as far as it hears of contacts. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What it was told. */
export interface Heard {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly said: {
    readonly type: string
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>> & { readonly contact: string }
  }
}

export class WebhookReceiver {
  readonly url: string
  readonly heard: Heard[] = []
  /** What it answers to each: a status, and how many seconds it wants to be left alone. */
  answer: (heard: Heard) => readonly [status: number, retryAfter?: number] = () => [204]
  readonly close: () => Promise<void>
  #waiting: (() => void)[] = []

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url
    this.close = close
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const heard = { headers: request.headers, body, said: JSON.parse(body) as Heard['said'] }
        const [status, seconds] = receiver.answer(heard)
        receiver.heard.push(heard)
        response.writeHead(status, seconds === undefined ? {} : { 'retry-after': String(seconds) }).end()
        for (const look of receiver.#waiting.splice(0)) look()
      })
    })
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
    const { port } = server.address() as AddressInfo
    const receiver: WebhookReceiver = new WebhookReceiver(`http://127.0.0.1:${port}/hook`, async () => {
      server.closeAllConnections()
      await new Promise((settle) => server.close(settle))
    })
    return receiver
  }

  /** What was said of a contact, as soon as it is so much. */
  async of(contact: string, count: number): Promise<readonly Heard[]> {
    for (;;) {
      const all = this.heard.filter(({ said }) => said.data.contact === contact)
      if (all.length >= count) return all
      await new Promise<void>((settle) => this.#waiting.push(settle))
    }
  }
}
