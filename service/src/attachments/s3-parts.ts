import type { Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import type { MetadataValue, S3Store } from '@tus/s3-store'
import { isElsewhere } from './upload-errors.ts'

/** Of an answer, that there is nothing of this name. */
export const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && ['NotFound', 'NoSuchKey', 'NoSuchUpload'].includes(thrown.name)

/** Between two looks whether bytes may still be sent. */
const LOOK_MS = 500
/** Parts that are sent at the same time; each lies in the folder for temporary files until then. */
const PARTS_AT_ONCE = 16

/** What other nodes do is seen at once. */
const NO_CACHE = {
  get: async (): Promise<undefined> => {},
  set: async (): Promise<void> => {},
  delete: async (): Promise<void> => {},
}

/** Uploads in parts: the store of tus, which sends nothing once another node may have the upload. */
export interface PartStore extends S3Store {
  /** By key, for uploads that are written here: whether the next bytes may be sent. */
  readonly leases: Map<string, () => boolean>
  /** Bytes that have arrived in parts; null where there is no such upload, or it is whole. */
  arrived(key: string): Promise<number | null>
}

export function partStore(
  { S3Store: Base }: typeof import('@tus/s3-store'),
  config: S3ClientConfig,
  bucket: string,
): PartStore {
  const Parts = partsOver(Base)
  return new Parts({
    s3ClientConfig: { ...config, bucket },
    maxConcurrentPartUploads: PARTS_AT_ONCE,
    cache: NO_CACHE,
  })
}

/** The class is made when the package is there. */
const partsOver = (Base: typeof S3Store) =>
  class extends Base implements PartStore {
    readonly leases = new Map<string, () => boolean>()

    async arrived(key: string): Promise<number | null> {
      try {
        const parts = await this.retrieveParts(key)
        const sizes = parts.reduce((sum, { Size = 0 }) => sum + Size, 0)
        return sizes + ((await this.getIncompletePartSize(key)) ?? 0)
      } catch (thrown) {
        if (isMissing(thrown)) return null
        throw thrown
      }
    }

    protected override async uploadPart(
      { file, 'upload-id': UploadId }: MetadataValue,
      Body: Readable | Buffer,
      PartNumber: number,
    ): Promise<string> {
      const asked = { Bucket: this.bucket, Key: file.id, UploadId, PartNumber, Body }
      const send = (abortSignal: AbortSignal) => this.client.uploadPart(asked, { abortSignal })
      return (await whileLeased(this.leases.get(file.id), send)).ETag ?? ''
    }

    protected override async uploadIncompletePart(key: string, Body: Readable): Promise<string> {
      const asked = { Bucket: this.bucket, Key: this.partKey(key, true), Body }
      const send = (abortSignal: AbortSignal) => this.client.putObject(asked, { abortSignal })
      return (await whileLeased(this.leases.get(key), send)).ETag ?? ''
    }

    protected override deleteIncompletePart(key: string): Promise<void> {
      return whileLeased(this.leases.get(key), () => super.deleteIncompletePart(key))
    }
  }

/** Ends a request that is still under way when another node may have the upload, as after a stop. */
async function whileLeased<T>(
  mayWrite: (() => boolean) | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!mayWrite) return send(new AbortController().signal)
  if (!mayWrite()) throw isElsewhere()
  const over = new AbortController()
  const look = setInterval(() => mayWrite() || over.abort(), LOOK_MS)
  try {
    return await send(over.signal)
  } catch (thrown) {
    throw over.signal.aborted ? isElsewhere() : thrown
  } finally {
    clearInterval(look)
  }
}
