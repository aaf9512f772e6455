import { Readable } from 'node:stream'
import type {
  GetObjectCommandInput,
  HeadObjectCommandOutput,
  ListMultipartUploadsCommandInput,
  ListMultipartUploadsCommandOutput,
  S3,
} from '@aws-sdk/client-s3'
import { Upload } from '@tus/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ContactError } from '../../../protocol/index.ts'
import type { FileStorage, S3Place, Writing } from './file-storage.ts'
import { isMissing, partStore } from './s3-parts.ts'
import type { PartStore } from './s3-parts.ts'
import { isElsewhere, isGone } from './upload-errors.ts'

/** What tus keeps beside the bytes of an upload. */
const BESIDE = ['', '.part', '.info']
const NO_BYTES = new Uint8Array()
/** What goes wrong is told by what it throws. */
const SILENT = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
/** Each download has a connection to S3 for as long as its reader takes: 50 slow ones must not keep out all others. */
const AGENT = { maxSockets: Number.POSITIVE_INFINITY }
/** For a connection to S3. */
const CONNECT_MS = 5_000
const OWN_ID = /^f-[\w-]+$/

/** Files in a bucket of S3, or of a service that speaks its protocol. An upload goes there in parts. */
export class S3Files implements FileStorage {
  readonly #client: S3
  readonly #parts: PartStore
  readonly #place: S3Place
  readonly #onFault: (thrown: unknown) => void
  readonly #creating = new Map<string, Promise<void>>()

  private constructor(
    parts: { readonly client: S3; readonly parts: PartStore },
    place: S3Place,
    onFault: (thrown: unknown) => void,
  ) {
    this.#client = parts.client
    this.#parts = parts.parts
    this.#place = place
    this.#onFault = onFault
  }

  /** Credentials are those of the environment, as the SDK of AWS finds them. */
  static async open(place: S3Place, onFault: (thrown: unknown) => void): Promise<S3Files> {
    const [{ S3: Client }, store] = await Promise.all([import('@aws-sdk/client-s3'), import('@tus/s3-store')])
    const { endpoint, region, bucket } = place
    const config = {
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      ...(region !== null && { region }),
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT_MS, httpAgent: AGENT, httpsAgent: AGENT },
      // Other servers do not know the checksums that came later.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    } as const
    return new S3Files(
      { client: new Client(config), parts: partStore(store, config, bucket) },
      place,
      onFault,
    )
  }

  /** Why the bucket cannot be used; null: it can, or does not answer now. */
  async check(): Promise<unknown> {
    const { bucket: Bucket, prefix: Prefix } = this.#place
    try {
      await this.#client.listObjectsV2({ Bucket, Prefix, MaxKeys: 1 })
      return null
    } catch (thrown) {
      const status = statusOf(thrown)
      if (status !== undefined && status < 500) return thrown
      if (thrown instanceof Error && /Credentials|Region/i.test(`${thrown.name} ${thrown.message}`))
        return thrown
      this.#onFault(thrown)
      return null
    }
  }

  async free(): Promise<number> {
    return Number.POSITIVE_INFINITY
  }

  create(id: string, size: number): Promise<void> {
    const running =
      this.#creating.get(id) ?? this.#create(id, size).finally(() => void this.#creating.delete(id))
    this.#creating.set(id, running)
    return running
  }

  async #create(id: string, size: number): Promise<void> {
    if ((await this.sizeOf(id)) !== null) return
    const Key = this.#keyOf(id)
    await this.#told(async () => {
      if (size === 0) await this.#client.putObject({ Bucket: this.#place.bucket, Key, Body: NO_BYTES })
      else await this.#parts.create(new Upload({ id: Key, size, offset: 0 }))
    })
  }

  sizeOf(id: string): Promise<number | null> {
    return this.#told(
      async () =>
        (await this.#parts.arrived(this.#keyOf(id))) ?? (await this.#headOf(id))?.ContentLength ?? null,
    )
  }

  async has(id: string): Promise<boolean> {
    return (await this.#told(() => this.#headOf(id))) !== null
  }

  async write(id: string, { source, offset, mayWrite }: Writing): Promise<number> {
    const key = this.#keyOf(id)
    // It may end before it is read: S3 is asked first.
    source.on('error', () => {})
    this.#parts.leases.set(key, mayWrite)
    try {
      return await this.#told(() => this.#parts.write(source, key, offset))
    } finally {
      if (this.#parts.leases.get(key) === mayWrite) this.#parts.leases.delete(key)
    }
  }

  /** Where all parts are there and the node that took the last one died, they are joined here. */
  whole(id: string, size: number): Promise<AsyncIterable<Uint8Array>> {
    const key = this.#keyOf(id)
    return this.#told(async () => {
      if (!(await this.#headOf(id))) await this.#parts.write(Readable.from([]), key, size)
      if ((await this.#headOf(id))?.ContentLength !== size) {
        // Two nodes have written at the same time: the sender begins anew.
        await this.remove(id)
        throw isElsewhere()
      }
      const { Body } = await this.#client.getObject({ Bucket: this.#place.bucket, Key: key })
      return Body as Readable
    })
  }

  async send(id: string, { method, headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const head = await this.#told(() => this.#headOf(id))
    if (!head) throw isGone()
    reply.headers({ 'accept-ranges': 'bytes', 'last-modified': head.LastModified?.toUTCString() })
    reply.headers({ etag: head.ETag, 'content-length': head.ContentLength })
    const { range: Range, 'if-range': ifRange } = headers
    if (method === 'HEAD') return reply.send(Readable.from([]))
    return this.#part(id, reply, Range !== undefined && (ifRange ?? head.ETag) === head.ETag ? { Range } : {})
  }

  async #part(
    id: string,
    reply: FastifyReply,
    range: Pick<GetObjectCommandInput, 'Range'>,
  ): Promise<FastifyReply> {
    try {
      const asked = { Bucket: this.#place.bucket, Key: this.#keyOf(id), ...range }
      const { Body, ContentLength, ContentRange } = await this.#client.getObject(asked)
      reply.header('content-length', ContentLength)
      if (ContentRange !== undefined) reply.code(206).header('content-range', ContentRange)
      return reply.send(Body as Readable)
    } catch (thrown) {
      if (statusOf(thrown) !== 416) throw this.#offline(thrown)
      return reply.code(416).removeHeader('content-length').send()
    }
  }

  remove(id: string): Promise<void> {
    return this.#told(async () => {
      const [key, { bucket: Bucket }] = [this.#keyOf(id), this.#place]
      const { Uploads = [] } = await this.#client.listMultipartUploads({ Bucket, Prefix: key })
      for (const { Key, UploadId } of Uploads)
        if (Key === key)
          await this.#client.abortMultipartUpload({ Bucket, Key, UploadId }).catch(unlessMissing)
      for (const beside of BESIDE)
        await this.#client.deleteObject({ Bucket, Key: `${key}${beside}` }).catch(unlessMissing)
    })
  }

  async *slices(size = 1_000): AsyncGenerator<readonly string[]> {
    const { bucket: Bucket, prefix: Prefix } = this.#place
    let ContinuationToken: string | undefined
    do {
      const asked = {
        Bucket,
        Prefix,
        MaxKeys: size,
        ...(ContinuationToken !== undefined && { ContinuationToken }),
      }
      const { Contents = [], NextContinuationToken } = await this.#client.listObjectsV2(asked)
      yield this.#idsOf(Contents)
      ContinuationToken = NextContinuationToken
    } while (ContinuationToken !== undefined)
    let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
    while (marker) {
      const found: ListMultipartUploadsCommandOutput = await this.#client.listMultipartUploads({
        ...{ Bucket, Prefix, MaxUploads: size },
        ...marker,
      })
      yield this.#idsOf(found.Uploads ?? [])
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker, IsTruncated } = found
      marker = IsTruncated === true ? { KeyMarker, UploadIdMarker } : null
    }
  }

  /** Ids of files among keys; nothing else below the prefix is touched. */
  #idsOf(objects: readonly { readonly Key?: string | undefined }[]): readonly string[] {
    const ids = objects.map(({ Key = '' }) =>
      Key.slice(this.#place.prefix.length).replace(/\.(part|info)$/, ''),
    )
    return [...new Set(ids)].filter((id) => OWN_ID.test(id))
  }

  async #headOf(id: string): Promise<HeadObjectCommandOutput | null> {
    try {
      return await this.#client.headObject({ Bucket: this.#place.bucket, Key: this.#keyOf(id) })
    } catch (thrown) {
      if (isMissing(thrown)) return null
      throw thrown
    }
  }

  /** What S3 answers is a fault of the service; who asked may ask again. */
  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      throw this.#offline(thrown)
    }
  }

  #offline(thrown: unknown): unknown {
    if (isMissing(thrown)) return isGone()
    if (!(thrown instanceof Error) || !('$metadata' in thrown)) return thrown
    this.#onFault(thrown)
    return new ContactError('offline', 'unable to reach the files; try again', { cause: thrown })
  }

  #keyOf(id: string): string {
    return `${this.#place.prefix}${id}`
  }
}

/** The status of an answer of S3 that is an error. */
const statusOf = (thrown: unknown): number | undefined =>
  (thrown as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode

function unlessMissing(thrown: unknown): void {
  if (!isMissing(thrown)) throw thrown
}
