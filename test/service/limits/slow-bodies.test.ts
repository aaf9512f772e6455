import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitBodies } from '../../../service/src/http/body-limits.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announceNew, tus } from '../../support/tus.ts'

const [WHOLE_MS, SILENCE_MS] = [3_000, 2_000]
/** Of the requests: the rest of the service has another. */
const clock = new ManualClock()
let test: TestService

beforeAll(async () => {
  test = await startTestService({}, { bodyLimits: { clock, wholeMs: WHOLE_MS, silenceMs: SILENCE_MS } })
})
afterAll(() => test.close())

interface Slow {
  readonly request: ClientRequest
  /** The status of the answer, or why there is none. */
  readonly answer: Promise<number | string>
  /** The connection is gone. */
  readonly closed: Promise<unknown>
}

/** A request of which the service has the headers, and whose body is still to come. */
async function begin(path: string, method: string, headers: Record<string, string>): Promise<Slow> {
  const slow = request(`${test.url}${path}`, {
    method,
    agent: false,
    headers: { ...headers, expect: '100-continue' },
  })
  const answer = new Promise<number | string>((settle) => {
    slow.once('response', (response: IncomingMessage) => {
      response.resume()
      settle(response.statusCode ?? 0)
    })
    slow.on('error', ({ message }) => settle(message))
  })
  const heard = once(slow, 'continue')
  slow.flushHeaders()
  const [socket] = (await once(slow, 'socket')) as [NodeJS.EventEmitter]
  const closed = once(socket, 'close')
  await heard
  return { request: slow, answer, closed }
}

const PIECE = Buffer.from('ten bytes.')
const PIECES = 6
const place = async () => announceNew(await queueVisitor(test), { size: PIECE.length * PIECES })
type Place = Awaited<ReturnType<typeof place>>

const upload = ({ path, token }: Pick<Place, 'path' | 'token'>, offset = 0): Promise<Slow> =>
  begin(path, 'PATCH', {
    'tus-resumable': '1.0.0',
    authorization: `Bearer ${token}`,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
    'content-length': String(PIECE.length * PIECES - offset),
  })
/** Begins what a connection by polling sends. */
async function beginPolling(length: string): Promise<Slow> {
  const opened = await (await fetch(`${test.url}/v1/link/?EIO=4&transport=polling`)).text()
  const { sid } = JSON.parse(opened.slice(1)) as { sid: string }
  return begin(`/v1/link/?EIO=4&transport=polling&sid=${sid}`, 'POST', {
    'content-type': 'text/plain',
    'content-length': length,
  })
}
/** Sends a piece; resolves when the service has it. */
async function send({ id }: Place, { request: slow }: Slow, before: number): Promise<void> {
  const file = join(test.options.files.folder, id)
  slow.write(PIECE)
  while (!existsSync(file) || statSync(file).size < before + PIECE.length)
    await new Promise((settle) => setImmediate(settle))
}

describe('a slow body', () => {
  it("SND-127 has no limit of Node's, which is the same for all and asks not whether anything arrives", () => {
    const server = createServer()
    expect(server.requestTimeout).toBeGreaterThan(0)
    limitBodies(server, { clock, wholeMs: 1, silenceMs: 1 })
    expect(server.requestTimeout).toBe(0)
  })

  it('SND-127 of an upload may take any time, as long as something of it arrives', async () => {
    const at = await place()
    const slow = await upload(at)
    for (let piece = 0; piece < PIECES; piece += 1) {
      await send(at, slow, piece * PIECE.length)
      if (piece < PIECES - 1) clock.advance(SILENCE_MS)
    }
    slow.request.end()
    expect(await slow.answer).toBe(204)
  })

  it('SND-127 of an upload that falls silent is cut off, and what has arrived stays', async () => {
    const at = await place()
    const slow = await upload(at)
    await send(at, slow, 0)
    clock.advance(SILENCE_MS)
    await send(at, slow, PIECE.length)
    clock.advance(2 * SILENCE_MS)
    expect(await slow.answer).toBe(408)
    await slow.closed
    expect((await tus(test.url, at)).headers.get('upload-offset')).toBe('20')
    expect((await tus(test.url, at, { offset: 20, body: Buffer.alloc(40) })).status).toBe(204)
  })

  it('SND-127 of an upload that is refused is not waited for', async () => {
    const slow = await upload({ ...(await place()), token: 'none' })
    expect(await slow.answer).toBe(401)
    clock.advance(SILENCE_MS)
    await slow.closed
  })

  it('SND-127 of JSON has a time in all, however steadily it arrives', async () => {
    const slow = await begin('/v1/visitors/refresh', 'POST', {
      'content-type': 'application/json',
      'content-length': '60000',
    })
    for (let passed = 0; passed < WHOLE_MS; passed += WHOLE_MS / 10) {
      slow.request.write(' ')
      clock.advance(WHOLE_MS / 10)
    }
    expect(await slow.answer).toBe(408)
    await slow.closed
  })

  it('SND-127 of a connection by polling has it too', async () => {
    const slow = await beginPolling('1000')
    slow.request.write('40')
    clock.advance(WHOLE_MS)
    expect(await slow.answer).toBe(408)
    await slow.closed
  })

  it('SND-351 of a connection by polling has as long as the slowest line takes for it', async () => {
    const slow = await beginPolling('131072')
    slow.request.write(' ')
    clock.advance(65_535)
    let isOver = false
    void slow.answer.then(() => (isOver = true))
    await fetch(`${test.url}/healthz`)
    expect(isOver).toBe(false)
    clock.advance(1)
    expect(await slow.answer).toBe(408)
    await slow.closed
  })
})
