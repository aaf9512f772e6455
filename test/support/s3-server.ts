/**
 * A server that speaks what the service uses of S3, with parts, their list and their least size. Signatures are
 * not checked. With `DUOLOG_TEST_S3` (an endpoint) tests use the server there instead, by the credentials of the
 * environment.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { S3 } from '@aws-sdk/client-s3'

interface Stored {
  readonly bytes: Buffer
  readonly headers: Record<string, string>
}
interface Parts {
  readonly key: string
  readonly parts: Map<number, Buffer>
}
interface Asked {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
}
interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

const LEAST_PART = 5 * 1024 * 1024
const BUCKET = 'files'
const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`
const tag = (name: string, value: string | number): string =>
  `<${name}>${String(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</${name}>`
const fault = (status: number, code: string): Answer => ({
  status,
  body: tag('Error', '').replace('><', `>${tag('Code', code)}<`),
})

export class S3Server {
  readonly #objects = new Map<string, Stored>()
  readonly #uploads = new Map<string, Parts>()
  readonly #server = createServer((request, response) => void this.#handle(request, response))
  /** Called with each request, as `PUT key`, and with the query; what it throws is answered with 503. */
  onRequest: (what: string, query: URLSearchParams) => unknown = () => {}

  /** Listens on a free port of this machine. */
  async start(): Promise<string> {
    await new Promise<void>((settle) => this.#server.listen(0, '127.0.0.1', settle))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((settle) => this.#server.close(settle))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://s3')
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/')
    const asked = { method: request.method ?? '', key: rest.join('/'), query: url.searchParams, request }
    const answer = await this.#answer(bucket, asked).catch(() => fault(503, 'SlowDown'))
    const { status = 200, headers = {}, body = '' } = answer
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
    response.end(asked.method === 'HEAD' ? undefined : body)
  }

  async #answer(bucket: string, asked: Asked): Promise<Answer> {
    const { method, key, query } = asked
    await this.onRequest(`${method} ${key}`, query)
    if (bucket !== BUCKET) return fault(404, 'NoSuchBucket')
    if (key === '') return query.has('uploads') ? this.#listUploads(query) : this.#listObjects(query)
    if (query.has('uploads')) return this.#beginUpload(key)
    const upload = query.get('uploadId')
    return upload === null ? this.#object(asked) : this.#upload(upload, asked)
  }

  #listObjects(query: URLSearchParams): Answer {
    const after = query.get('continuation-token') ?? ''
    const keys = [...this.#objects.keys()]
      .toSorted()
      .filter((key) => key > after && key.startsWith(query.get('prefix') ?? ''))
    const page = keys.slice(0, Number(query.get('max-keys') ?? 1_000))
    const isTruncated = page.length < keys.length
    const next = isTruncated ? tag('NextContinuationToken', page.at(-1) ?? '') : ''
    const items = page.map((key) => `<Contents>${tag('Key', key)}</Contents>`).join('')
    return {
      body: `<ListBucketResult>${tag('IsTruncated', `${isTruncated}`)}${next}${items}</ListBucketResult>`,
    }
  }

  #listUploads(query: URLSearchParams): Answer {
    const items = [...this.#uploads]
      .filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
      .map(([id, { key }]) => `<Upload>${tag('Key', key)}${tag('UploadId', id)}</Upload>`)
    return { body: `<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>` }
  }

  #beginUpload(key: string): Answer {
    const id = randomUUID()
    this.#uploads.set(id, { key, parts: new Map() })
    const names = tag('Key', key) + tag('UploadId', id)
    return { body: `<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>` }
  }

  async #upload(id: string, { method, query, request }: Asked): Promise<Answer> {
    const bytes = await buffer(request)
    const upload = this.#uploads.get(id)
    if (!upload) return fault(404, 'NoSuchUpload')
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), bytes)
      return { headers: { etag: etagOf(bytes) } }
    }
    const parts = [...upload.parts].toSorted(([one], [other]) => one - other)
    if (method === 'GET') return { body: listOf(parts) }
    if (method === 'POST') {
      if (parts.slice(0, -1).some(([, part]) => part.length < LEAST_PART)) return fault(400, 'EntityTooSmall')
      this.#objects.set(upload.key, { bytes: Buffer.concat(parts.map(([, part]) => part)), headers: {} })
    }
    this.#uploads.delete(id)
    return method === 'DELETE' ? { status: 204 } : { body: '<CompleteMultipartUploadResult/>' }
  }

  async #object({ method, key, request }: Asked): Promise<Answer> {
    if (method === 'PUT') {
      const bytes = await buffer(request)
      const own = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'))
      this.#objects.set(key, { bytes, headers: Object.fromEntries(own) as Record<string, string> })
      return { headers: { etag: etagOf(bytes) } }
    }
    if (method === 'DELETE') {
      this.#objects.delete(key)
      return { status: 204 }
    }
    const found = this.#objects.get(key)
    return found ? partOf(found, request.headers.range) : fault(404, 'NoSuchKey')
  }
}

const listOf = (parts: readonly (readonly [number, Buffer])[]): string => {
  const items = parts.map(
    ([number, bytes]) =>
      `<Part>${tag('PartNumber', number)}${tag('Size', bytes.length)}${tag('ETag', etagOf(bytes))}</Part>`,
  )
  return `<ListPartsResult>${items.join('')}</ListPartsResult>`
}

function partOf({ bytes, headers: own }: Stored, range: string | undefined): Answer {
  const headers = { ...own, etag: etagOf(bytes), 'last-modified': new Date(0).toUTCString() }
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (from === '' && to === '') return { headers, body: bytes }
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1)
  if (start > end) return fault(416, 'InvalidRange')
  const shown = { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` }
  return { status: 206, headers: shown, body: bytes.subarray(start, end + 1) }
}

export interface S3Bucket {
  /** What `--files` names. */
  readonly url: string
  /** Null: a server that was there already. */
  readonly server: S3Server | null
  /** All keys of the place, and its uploads that are not whole. */
  readonly left: () => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

/** A place of its own in a bucket. */
export async function s3Bucket(): Promise<S3Bucket> {
  const there = process.env['DUOLOG_TEST_S3']
  const server = there === undefined ? new S3Server() : null
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test'
  const endpoint = there ?? (await server?.start()) ?? ''
  const client = new S3({ endpoint, region: 'us-east-1', forcePathStyle: true })
  if (!server) await client.createBucket({ Bucket: BUCKET }).catch(() => {})
  const Prefix = `${randomUUID()}/`
  return {
    url: `s3://${BUCKET}/${Prefix}?${new URLSearchParams({ endpoint }).toString()}`,
    server,
    left: async () => {
      const { Contents = [] } = await client.listObjectsV2({ Bucket: BUCKET, Prefix })
      const { Uploads = [] } = await client.listMultipartUploads({ Bucket: BUCKET, Prefix })
      const keys = [...Contents, ...Uploads.map(({ Key = '' }) => ({ Key: `${Key} (parts)` }))]
      return keys.map(({ Key = '' }) => Key.slice(Prefix.length))
    },
    close: async () => {
      client.destroy()
      await server?.stop()
    },
  }
}
