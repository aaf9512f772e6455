/**
 * The client of tus against a server that a test scripts: what https://tus.io/protocols/resumable-upload says
 * of the core protocol and of termination, and what servers and proxies do besides.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { tusUpload } from '../../../sdk/attachments/tus-upload.ts'
import type { UploadSource } from '../../../sdk/attachments/uploader.ts'
import { watch } from '../../support/contacts.ts'

const MIB = 1_048_576
const PART = 4 * MIB

interface Asked {
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
}

/** How the server answers what it was asked; without an answer the connection is cut. */
type Script = (asked: Asked) => { status: number; headers?: Record<string, string>; body?: string } | null

const seen: Asked[] = []
let script: Script
/** How far the server has come, as it tells; null: it keeps a request without an answer. */
let hangs = false
let server: Server
let url: string

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const asked = { method: request.method, headers: request.headers, bytes: Buffer.concat(parts) }
  seen.push(asked)
  const told = script(asked)
  if (hangs && asked.method === 'PATCH') return
  if (!told) return void request.socket.destroy()
  response.writeHead(told.status, told.headers).end(told.body)
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response).catch(() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/uploads/f-1`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => {
  seen.length = 0
  hangs = false
})

const bytesOf = (size: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) % 251)

/** A server that keeps what it gets, and takes so much of each request at most. */
function keeping(size: number, { stored = 0, most = Infinity } = {}): { script: Script; kept: Buffer[] } {
  let offset = stored
  const kept: Buffer[] = []
  return {
    kept,
    script: ({ method, headers, bytes }) => {
      const told = { 'upload-offset': String(offset) }
      if (method === 'HEAD') return { status: 200, headers: { ...told, 'upload-length': String(size) } }
      if (method === 'DELETE') return { status: 204 }
      if (headers['upload-offset'] !== told['upload-offset']) return { status: 409 }
      const taken = bytes.subarray(0, most)
      kept.push(taken)
      offset += taken.length
      return { status: 204, headers: { 'upload-offset': String(offset) } }
    },
  }
}

interface Sending {
  readonly cancelled?: AbortSignal
  readonly stopped?: AbortSignal
  readonly onProgress?: (sentBytes: number) => void
}

const send = (source: UploadSource, sending: Sending = {}): Promise<void> =>
  tusUpload(source, {
    url,
    token: 'secret',
    cancelled: new AbortController().signal,
    stopped: new AbortController().signal,
    onProgress: () => {},
    ...sending,
  })
const failureOf = (source: UploadSource): Promise<unknown> =>
  send(source).then(
    () => null,
    (error: unknown) => (error instanceof ContactError ? error.code : error),
  )
const methods = (): (string | undefined)[] => seen.map(({ method }) => method)
const offsets = (): (string | undefined)[] =>
  seen.flatMap(({ method, headers }) => (method === 'PATCH' ? [String(headers['upload-offset'])] : []))

describe('an upload by tus', () => {
  it('ATT-3 asks how far it has come, and sends what is missing in parts, each with what tus 1.0.0 requires', async () => {
    const bytes = bytesOf(PART + 10)
    const { script: keep, kept } = keeping(bytes.length)
    script = keep
    await send(new Blob([bytes]))
    expect(Buffer.concat(kept).equals(bytes)).toBe(true)
    expect([methods(), offsets()]).toEqual([
      ['HEAD', 'PATCH', 'PATCH'],
      ['0', String(PART)],
    ])
    for (const { headers } of seen)
      expect(headers).toMatchObject({ 'tus-resumable': '1.0.0', authorization: 'Bearer secret' })
    expect(seen[1]?.headers['content-type']).toBe('application/offset+octet-stream')
  })

  it('ATT-3 begins at any offset that the service tells', async () => {
    const bytes = bytesOf(1_000)
    const { script: keep, kept } = keeping(bytes.length, { stored: 437 })
    script = keep
    await send(new Blob([bytes]))
    expect([offsets(), Buffer.concat(kept).equals(bytes.subarray(437))]).toEqual([['437'], true])
  })

  it('ATT-3 goes on after what a service has taken of a part', async () => {
    const bytes = bytesOf(1_000)
    const { script: keep, kept } = keeping(bytes.length, { most: 400 })
    script = keep
    await send(new Blob([bytes]))
    expect([offsets(), Buffer.concat(kept).equals(bytes)]).toEqual([['0', '400', '800'], true])
  })

  it.each([0, 12])('ATT-3 sends nothing of %i bytes that are there', async (size) => {
    script = keeping(size, { stored: size }).script
    const told: number[] = []
    await send(new Blob([bytesOf(size)]), { onProgress: (sent) => told.push(sent) })
    expect([methods(), told]).toEqual([['HEAD'], [size]])
  })

  it('ATT-3 tells its progress while a part goes out, from where it begins to the end', async () => {
    const told: number[] = []
    script = keeping(3 * MIB, { stored: MIB }).script
    await send(new Blob([new Uint8Array(3 * MIB)]), { onProgress: (sent) => told.push(sent) })
    expect([told[0], told.at(-1), told.length > 4]).toEqual([MIB, 3 * MIB, true])
    expect(told.toSorted((one, other) => one - other)).toEqual(told)
  })
})

describe('an upload by tus that does not come through', () => {
  const HEAD = { status: 200, headers: { 'upload-offset': '0', 'upload-length': '9' } }
  const file = new Blob([bytesOf(9)])

  it.each([400, 401, 404, 408, 409, 410, 412, 423, 429, 460, 500, 502, 503])(
    'ATT-3 status %i of a part, and of the question before it, may be tried again',
    async (status) => {
      script = ({ method }) => (method === 'HEAD' ? HEAD : { status })
      expect(await failureOf(file)).toBe('timeout')
      script = () => ({ status })
      expect([await failureOf(file), methods()]).toEqual(['timeout', ['HEAD', 'PATCH', 'HEAD']])
    },
  )

  it.each([
    [403, 'left', 'left'],
    [413, 'too_large', 'too_large'],
    [415, 'not_supported', 'not_supported'],
    [507, 'too_large', 'too_large'],
    [403, 'strange', 'timeout'],
    [409, 'left', 'timeout'],
  ])('ATT-4 ATT-9 status %i with the code %s gives %s', async (status, code, expected) => {
    const body = JSON.stringify({ error: { code, message: 'unable to take the file; no' } })
    script = ({ method }) => (method === 'HEAD' ? HEAD : { status, body })
    expect(await failureOf(file)).toBe(expected)
  })

  it('ATT-3 a refusal by a proxy, without a code, may be tried again', async () => {
    script = ({ method }) => (method === 'HEAD' ? HEAD : { status: 403, body: '<html>' })
    expect(await failureOf(file)).toBe('timeout')
  })

  it.each([
    ['no offset', { 'upload-length': '9' }],
    ['an offset that is no number', { 'upload-offset': '4 of 9', 'upload-length': '9' }],
    ['a negative offset', { 'upload-offset': '-1', 'upload-length': '9' }],
    ['an offset behind the end', { 'upload-offset': '10', 'upload-length': '9' }],
    ['no length', { 'upload-offset': '0' }],
    ['the length of another file', { 'upload-offset': '0', 'upload-length': '8' }],
  ])('ATT-3 %s, and nothing is sent', async (_what, headers) => {
    script = () => ({ status: 200, headers: headers as Record<string, string> })
    expect([await failureOf(file), methods()]).toEqual(['timeout', ['HEAD']])
  })

  it.each(['0', '10', '', 'x'])('ATT-3 a part after which the offset is %j is the last one', async (told) => {
    script = ({ method }) => (method === 'HEAD' ? HEAD : { status: 204, headers: { 'upload-offset': told } })
    expect([await failureOf(file), methods()]).toEqual(['timeout', ['HEAD', 'PATCH']])
  })

  it('ATT-3 a connection that is cut may be made again, and the next attempt goes on', async () => {
    const bytes = bytesOf(PART + 9)
    const { script: keep, kept } = keeping(bytes.length)
    let isCut = false
    script = (asked) => {
      const told = keep(asked)
      if (asked.headers['upload-offset'] !== String(PART) || isCut) return told
      isCut = true
      return null
    }
    expect(await failureOf(new Blob([bytes]))).toBe('offline')
    await send(new Blob([bytes]))
    expect([Buffer.concat(kept).equals(bytes), methods()]).toEqual([true, ['HEAD', 'PATCH', 'PATCH', 'HEAD']])
  })

  it('ERR-2 a file that cannot be read is given up; what its source says stands', async () => {
    script = () => HEAD
    const gone = Object.assign(new Blob([bytesOf(9)]), {
      slice: () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error('gone')) }),
    })
    const unreadable = { size: 9, slice: () => Promise.reject(new Error('gone')) }
    const changed = new ContactError('invalid_argument', 'unable to attach the file; it has changed')
    expect(await failureOf(unreadable)).toBe('invalid_argument')
    expect(await failureOf({ size: 9, slice: () => Promise.reject(changed) })).toBe('invalid_argument')
    script = ({ method }) => (method === 'HEAD' ? HEAD : null)
    expect(await failureOf(gone)).toBe('invalid_argument')
  })
})

describe('an upload by tus that is ended', () => {
  const file = new Blob([bytesOf(9)])
  const until = async (method: string): Promise<void> => {
    while (!methods().includes(method)) await new Promise((resolve) => setTimeout(resolve, 1))
  }

  it('ATT-3 is given up by DELETE where it is cancelled, and nothing of it is told any more', async () => {
    script = keeping(9).script
    hangs = true
    const [cancel, told] = [new AbortController(), [] as number[]]
    const sending = watch(send(file, { cancelled: cancel.signal, onProgress: (sent) => told.push(sent) }))
    await until('PATCH')
    const before = told.length
    cancel.abort()
    await until('DELETE')
    expect([sending.result, told.length, methods()]).toEqual([
      { code: 'withdrawn' },
      before,
      ['HEAD', 'PATCH', 'DELETE'],
    ])
    expect(seen.at(-1)?.headers).toMatchObject({ 'tus-resumable': '1.0.0', authorization: 'Bearer secret' })
  })

  it('ATT-3 keeps what has come where only the attempt is over', async () => {
    script = keeping(9).script
    hangs = true
    const stop = new AbortController()
    const sending = watch(send(file, { stopped: stop.signal }))
    await until('PATCH')
    stop.abort()
    await expect.poll(() => sending.result).toEqual({ code: 'offline' })
    expect(methods()).toEqual(['HEAD', 'PATCH'])
  })

  it('ATT-3 sends nothing where it was ended before', async () => {
    script = keeping(9).script
    expect(watch(send(file, { stopped: AbortSignal.abort() })).result).toBe('pending')
    await expect(send(file, { stopped: AbortSignal.abort() })).rejects.toMatchObject({ code: 'offline' })
    expect(seen).toEqual([])
    await expect(send(file, { cancelled: AbortSignal.abort() })).rejects.toMatchObject({ code: 'withdrawn' })
    await until('DELETE')
    expect(methods()).toEqual(['DELETE'])
  })

  it('ATT-3 sends no part that was read while it was ended', async () => {
    script = keeping(9).script
    const stop = new AbortController()
    const slice = (start: number, end: number): Blob => {
      stop.abort()
      return file.slice(start, end)
    }
    await expect(send({ size: 9, slice }, { stopped: stop.signal })).rejects.toMatchObject({
      code: 'offline',
    })
    expect(methods()).toEqual(['HEAD'])
  })
})
