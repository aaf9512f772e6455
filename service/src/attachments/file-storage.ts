import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Where the bytes of files are, under their ids. */
export interface FileStorage {
  /** Bytes that it has room for. */
  free(): Promise<number>
  /** Makes a file without bytes where there is none of this id. */
  create(id: string, size: number): Promise<void>
  /** Bytes that have arrived; null where there is no such file. */
  sizeOf(id: string): Promise<number | null>
  /** Whether the file is there as a whole. It is asked for such files only. */
  has(id: string): Promise<boolean>
  /** Writes from an offset on until the source ends, as long as the bytes may be written. Gives the offset then. */
  write(id: string, writing: Writing): Promise<number>
  /** All bytes of a file that has arrived, which is stored for good from now on. */
  whole(id: string, size: number): Promise<AsyncIterable<Uint8Array>>
  /** Answers a download: the file, or the part of it that is asked for. */
  send(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  /** Removes a file, whole or not. */
  remove(id: string): Promise<void>
  /** Ids of all files that are there, some at a time. */
  slices(size?: number): AsyncGenerator<readonly string[]>
}

export interface Writing {
  readonly source: Readable
  readonly offset: number
  /** Whether the next bytes may be written here: another node may have the upload. */
  readonly mayWrite: () => boolean
}

/** A place of files in S3, or in a service that speaks its protocol. */
export interface S3Place {
  readonly bucket: string
  /** Of all keys: empty, or with a slash at its end. */
  readonly prefix: string
  /** Null: that of AWS for the region. */
  readonly endpoint: string | null
  /** Null: as the environment says. */
  readonly region: string | null
}
