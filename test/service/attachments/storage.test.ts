/** What every place of files keeps: a folder, and S3. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import fastifyStatic from '@fastify/static'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStorage } from '../../../service/src/attachments/open-storage.ts'
import type { FileStorage } from '../../../service/src/attachments/file-storage.ts'
import { FileStore } from '../../../service/src/attachments/file-store.ts'
import { readOptions } from '../../../service/src/options.ts'
import { s3Bucket } from '../../support/s3-server.ts'
import { temporaryData } from '../../support/temporary-data.ts'

const MB = 1024 * 1024
/** More than one part of S3, and the last one is short. */
const BYTES = randomBytes(13 * MB + 17)

interface Place {
  readonly storage: FileStorage
  /** What lies there. */
  left(): Promise<readonly string[]>
  close(): Promise<void>
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  'a folder': async () => {
    const { folder, remove } = temporaryData()
    const storage = await openStorage({ folder, s3: null, maxBytes: 1 }, () => {})
    return { storage, left: () => readdir(folder), close: async () => remove() }
  },
  S3: async () => {
    const { url, left, close } = await s3Bucket()
    const files = readOptions(['--files', url], {})?.files
    if (!files?.s3) throw new Error('it is not read')
    return { storage: await openStorage(files, () => {}), left, close }
  },
}

describe.each(Object.keys(PLACES))('files in %s', (name) => {
  let place: Place
  let storage: FileStorage
  let count = 0
  beforeAll(async () => {
    place = await (PLACES[name] as () => Promise<Place>)()
    ;({ storage } = place)
    await storage.free()
  })
  afterAll(() => place?.close())
  const newId = (): string => `f-${(count += 1)}`
  const write = (id: string, source: Readable, offset = 0, mayWrite = () => true): Promise<number> =>
    storage.write(id, { source, offset, mayWrite })
  const bytesOf = async (id: string, size: number): Promise<Buffer> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of await storage.whole(id, size)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const stored = async (bytes: Buffer): Promise<string> => {
    const id = newId()
    await storage.create(id, bytes.length)
    await write(id, Readable.from([bytes]))
    return id
  }

  it.each([0, 1, 3 * MB, 6 * MB, 13 * MB])(
    'CLU-150 a file that arrives in two requests, cut after %i bytes, is what was sent',
    async (cut) => {
      const id = newId()
      expect([await storage.sizeOf(id), await storage.has(id)]).toEqual([null, false])
      await Promise.all([storage.create(id, BYTES.length), storage.create(id, BYTES.length)])
      expect(await write(id, Readable.from([BYTES.subarray(0, cut)]))).toBe(cut)
      await storage.create(id, BYTES.length)
      expect(await storage.sizeOf(id)).toBe(cut)
      expect(await write(id, Readable.from([BYTES.subarray(cut)]), cut)).toBe(BYTES.length)
      expect([await storage.sizeOf(id), await storage.has(id)]).toEqual([BYTES.length, true])
      expect((await bytesOf(id, BYTES.length)).equals(BYTES)).toBe(true)
      await storage.remove(id)
      expect([await storage.sizeOf(id), await place.left()]).toEqual([null, []])
    },
  )

  it('CLU-150 a file without bytes is whole at once', async () => {
    const id = newId()
    await storage.create(id, 0)
    expect([await storage.sizeOf(id), (await bytesOf(id, 0)).length]).toEqual([0, 0])
    await storage.remove(id)
  })

  it('CLU-150 what a broken request has left behind goes on from where it stands', async () => {
    const id = newId()
    await storage.create(id, BYTES.length)
    await write(id, Readable.from([BYTES.subarray(0, 6 * MB)]))
    const source = new PassThrough()
    const broken = write(id, source, 6 * MB)
    source.write(BYTES.subarray(6 * MB, 12 * MB))
    source.destroy(new Error('cut'))
    await expect(broken).rejects.toThrow('cut')
    const offset = (await storage.sizeOf(id)) ?? -1
    expect(offset).toBeGreaterThanOrEqual(6 * MB)
    await write(id, Readable.from([BYTES.subarray(offset)]), offset)
    expect((await bytesOf(id, BYTES.length)).equals(BYTES)).toBe(true)
    await storage.remove(id)
  })

  it('CLU-150 of files and uploads it tells the ids, and removes each without a rest', async () => {
    const whole = await stored(randomBytes(10))
    const [begun, partly] = [newId(), newId()]
    await storage.create(begun, 10)
    await storage.create(partly, 10)
    await write(partly, Readable.from([Buffer.alloc(3)]))
    const ids = new Set<string>()
    for await (const slice of storage.slices(2)) for (const id of slice) ids.add(id)
    expect(ids).toEqual(new Set([whole, begun, partly]))
    for (const id of ids) await storage.remove(id)
    await storage.remove('f-never')
    expect(await place.left()).toEqual([])
  })

  it('CLU-150 ATT-5 a download is the whole file, a range of it, or its head', async () => {
    const bytes = randomBytes(1_000)
    const id = await stored(bytes)
    await bytesOf(id, 1_000)
    const app = fastify()
    await app.register(fastifyStatic, { root: '/', serve: false, suppressWarning: true })
    app.get('/file', (request, reply) => storage.send(id, request, reply))
    const ask = async (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') => {
      const { statusCode, headers: told, rawPayload } = await app.inject({ url: '/file', method, headers })
      return { statusCode, told, rawPayload, shown: [statusCode, told['content-range'], rawPayload.length] }
    }
    const whole = await ask({})
    expect([whole.statusCode, whole.told['content-length']]).toEqual([200, '1000'])
    expect(whole.rawPayload.equals(bytes)).toBe(true)
    expect((await ask({ range: 'bytes=10-19' })).shown).toEqual([206, 'bytes 10-19/1000', 10])
    expect((await ask({ range: 'bytes=-1' })).rawPayload).toEqual(bytes.subarray(-1))
    expect((await ask({ range: 'bytes=990-' })).rawPayload).toEqual(bytes.subarray(990))
    expect((await ask({ range: 'bytes=5000-' })).statusCode).toBe(416)
    const etag = String(whole.told['etag'])
    expect((await ask({ range: 'bytes=0-0', 'if-range': etag })).statusCode).toBe(206)
    expect((await ask({ range: 'bytes=0-0', 'if-range': '"another"' })).statusCode).toBe(200)
    const { statusCode, told } = await ask({}, 'HEAD')
    expect([statusCode, told['content-length'], told['accept-ranges']]).toEqual([200, '1000', 'bytes'])
    await app.close()
    await storage.remove(id)
  })

  /** The files of a node that has the uploads of `open`. */
  const filesOf = (open: Map<string, number>, mayWrite = () => true): FileStore => {
    const files: FileStore = new FileStore(storage, {
      find: async (id) => (open.has(id) ? { size: open.get(id) ?? 0 } : null),
      sizes: async () => ({ whole: 0, open }),
      isAlone: () => true,
      atOneNode: (work) => work(),
      drop: async (id) => {
        open.delete(id)
        await files.unlink(id)
      },
      ...{ mayWrite, spaceBytes: 100 * MB, now: () => 0 },
    })
    return files
  }

  it('CLU-150 CLU-110 an upload that is given up while it is sent leaves nothing behind', async () => {
    const [id, source, open] = [newId(), new PassThrough(), new Map<string, number>()]
    const files = filesOf(open)
    open.set(id, BYTES.length)
    await files.prepare(id, BYTES.length)
    const writing = files.write(source, id, 0)
    source.write(BYTES.subarray(0, 9 * MB))
    await expect.poll(() => files.total).toBe(BYTES.length)
    await files.remove(id)
    await expect(writing).rejects.toMatchObject({ code: 'left' })
    expect([await place.left(), files.total]).toEqual([[], 0])
  })

  it('CLU-150 nothing is written any more once another node may have the upload', async () => {
    const [id, open] = [newId(), new Map<string, number>()]
    let mayWrite = true
    const files = filesOf(open, () => mayWrite)
    open.set(id, BYTES.length)
    await files.prepare(id, BYTES.length)
    await files.write(Readable.from([BYTES.subarray(0, 6 * MB)]), id, 0)
    mayWrite = false
    const late = files.write(Readable.from([BYTES.subarray(6 * MB)]), id, 6 * MB)
    await expect(late).rejects.toMatchObject({ code: 'offline' })
    expect(await storage.sizeOf(id)).toBe(6 * MB)
    await files.remove(id)
  })

  it('CLU-150 each file has the hash of what was sent', async () => {
    const sha256 = createHash('sha256').update(BYTES).digest('hex')
    const id = await stored(BYTES)
    const found = createHash('sha256')
    for await (const chunk of await storage.whole(id, BYTES.length)) found.update(chunk)
    expect(found.digest('hex')).toBe(sha256)
    await storage.remove(id)
  })
})
