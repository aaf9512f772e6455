import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket as NodeSocket } from 'ws'
import { createClient } from '../../../sdk/index.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { cutPolling } from '../../support/cut-polling.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let test: TestService
const ends: (() => unknown)[] = []

beforeAll(async () => {
  test = await startTestService()
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
afterAll(() => test.close())

describe('a connection to the service', () => {
  it('LOG-14 where no WebSocket gets through, long polling carries the contact', async () => {
    const tried: string[] = []
    const Blocked = class extends NodeSocket {
      constructor(url: URL) {
        super(new URL('/nothing', url))
        tried.push(url.protocol)
      }
    } as unknown as typeof WebSocket
    const { token } = await signInVisitor(test.url)
    const client = createClient({
      service: test.url,
      storage: memoryStore(),
      transport: socketTransport({ service: test.url, token, WebSocket: Blocked }),
    })
    ends.push(() => client.close())
    const contact = await client.createContact({ nick: 'Vera' })
    await contact.sendText('hello')
    await contact.leave()
    expect(tried).toEqual(['ws:'])
  })

  it('LOG-6 LOG-14 a connection that is cut at any frame loses and doubles no text', async () => {
    const runs = await Promise.all(Array.from({ length: 24 }, (_, frame) => textsThrough(cutSocket(frame))))
    for (const { texts } of runs) expect(texts).toEqual(['one', 'two', 'three'])
    expect(runs.filter(({ isCut }) => isCut).length).toBeGreaterThanOrEqual(12)
  })

  it('LOG-6 LOG-14 long polling that is cut at any request or answer loses and doubles no text', async () => {
    const ways = await Promise.all(Array.from({ length: 36 }, (_, at) => cutPolling(test.url, at)))
    const runs = await Promise.all(ways.map((way) => textsThrough(way)))
    await Promise.all(ways.map(({ close }) => close()))
    for (const { texts } of runs) expect(texts).toEqual(['one', 'two', 'three'])
    expect(runs.filter(({ isCut }) => isCut).length).toBeGreaterThanOrEqual(24)
  })
})

/** A way to the service that ends the first connection at some frame. */
interface CutWay {
  readonly url: string
  readonly WebSocket: typeof WebSocket | null
  readonly isCut: () => boolean
}

function cutSocket(frame: number): CutWay {
  let left = frame
  const count = (socket: NodeSocket): boolean => {
    left -= 1
    if (left === -1) socket.terminate()
    return left === -1
  }
  const Cut = class extends NodeSocket {
    override send(data: string): void {
      if (!count(this)) super.send(data)
    }
    override emit(name: string | symbol, ...args: unknown[]): boolean {
      return name === 'message' && count(this) ? true : super.emit(name, ...args)
    }
  } as unknown as typeof WebSocket
  return { url: test.url, WebSocket: Cut, isCut: () => left < 0 }
}

/** What the service has stored of three texts that were sent on such a way. */
async function textsThrough({
  url,
  WebSocket: Socket,
  isCut,
}: CutWay): Promise<{ readonly texts: readonly string[]; readonly isCut: boolean }> {
  const { token } = await signInVisitor(test.url)
  const client = createClient({
    service: url,
    storage: memoryStore(),
    transport: socketTransport({ service: url, token, WebSocket: Socket }),
  })
  const contact = await created(client)
  await Promise.all(['one', 'two', 'three'].map((text) => contact.sendText(text)))
  const reader = await WireClient.connect(test.url, token)
  const { entries } = await reader.call('log.read', { contact: contact.id, after: 0, limit: 100 })
  reader.close()
  await client.close()
  return {
    texts: entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : [])),
    isCut: isCut(),
  }
}

/** A contact, asked for again where the connection was cut before it was made. */
async function created(client: ReturnType<typeof createClient>) {
  try {
    return await client.createContact({ nick: 'Vera' })
  } catch {
    return client.createContact({ nick: 'Vera' })
  }
}
