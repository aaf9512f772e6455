/** Files in S3: what its place does when S3 fails, when nodes change, and how the service starts and serves. */
import { createHash, randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openStorage } from '../../../service/src/attachments/open-storage.ts'
import type { FileStorage } from '../../../service/src/attachments/file-storage.ts'
import { readOptions } from '../../../service/src/options.ts'
import { joinBoth } from '../../support/parties.ts'
import { S3Server, s3Bucket } from '../../support/s3-server.ts'
import type { S3Bucket } from '../../support/s3-server.ts'
import { startTestService } from '../../support/service.ts'
import { announceNew, tus, urlOf } from '../../support/tus.ts'

const MB = 1024 * 1024
const ADMIN = 'an administration token'
const place = (...args: string[]) => readOptions(args, {})?.files.s3

describe('the place that --files names', () => {
  it('CLU-152 is a bucket, with a prefix, an endpoint and a region where they are given', () => {
    expect(place('--files', 'shared')).toBeNull()
    expect(place('--files', 's3://files')).toEqual({
      ...{ bucket: 'files', prefix: '', endpoint: null, region: null },
    })
    expect(place('--files', 's3://files/a/b?region=eu-west-1')).toEqual({
      ...{ bucket: 'files', prefix: 'a/b/', endpoint: null, region: 'eu-west-1' },
    })
    expect(place('--files', 's3://files/?endpoint=https%3A%2F%2Fs3.internal:9000')).toEqual({
      ...{ bucket: 'files', prefix: '', endpoint: 'https://s3.internal:9000', region: 'us-east-1' },
    })
  })

  it.each([
    's3:',
    's3://',
    's3://key:secret@files',
    's3://files:80',
    's3://files?endpoint=s3.internal',
    's3://files?endpoint=ftp://a',
    's3://files?endpoint=https://a&endpoint=https://b',
    's3://files?acl=public',
    's3://files/a b',
    's3://files/../x//y',
  ])('CLU-152 is refused in one line where it is malformed: %s', (url) => {
    expect(() => place('--files', url)).toThrow('unable to read the options; --files must be')
  })

  it('CLU-152 has TLS in production, except on this machine', () => {
    const production = ['--mode', 'production', '--origin', 'https://a.example']
    const provider = [
      '--agent-jwks',
      'https://a.example/jwks',
      '--agent-issuer',
      'a',
      '--agent-audience',
      'b',
    ]
    const start = (endpoint: string) =>
      place(...production, ...provider, '--files', `s3://files?endpoint=${endpoint}`)
    expect(() => start('http://s3.internal')).toThrow('the endpoint of --files must be https')
    expect(start('http://127.0.0.1:9000')?.endpoint).toBe('http://127.0.0.1:9000')
    expect(start('https://s3.internal')?.endpoint).toBe('https://s3.internal')
  })
})

describe('files in S3', () => {
  const server = new S3Server()
  const faults: unknown[] = []
  let endpoint: string
  let storage: FileStorage
  const open = (bucket = 'files'): Promise<FileStorage> =>
    openStorage(
      { folder: '', maxBytes: 1, s3: { bucket, prefix: 'p/', endpoint, region: 'us-east-1' } },
      (thrown) => void faults.push(thrown),
    )
  beforeAll(async () => {
    process.env['AWS_ACCESS_KEY_ID'] ??= 'test'
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test'
    endpoint = await server.start()
    storage = await open()
  })
  afterAll(() => server.stop())
  beforeEach(() => {
    server.onRequest = () => {}
    faults.length = 0
  })
  const write = (id: string, bytes: Buffer, offset = 0): Promise<number> =>
    storage.write(id, { source: Readable.from([bytes]), offset, mayWrite: () => true })

  it('CLU-152 end the start in one line where the bucket is not there, and not where S3 is away', async () => {
    await expect(open('other')).rejects.toThrow('unable to use s3://other/p/ for files; ')
    server.onRequest = () => {
      throw new Error('it is away')
    }
    await open()
    expect(faults).toHaveLength(1)
  })

  it('CLU-151 are answered with offline while S3 is away, each time with a fault', async () => {
    await storage.create('f-away', 10)
    server.onRequest = () => {
      throw new Error('it is away')
    }
    await expect(storage.sizeOf('f-away')).rejects.toMatchObject({ code: 'offline' })
    await expect(write('f-away', Buffer.alloc(10))).rejects.toMatchObject({ code: 'offline' })
    expect(faults).toHaveLength(2)
  })

  it('CLU-151 a part under way ends when another node may have the upload, and is not stored', async () => {
    await storage.create('f-lease', 13 * MB)
    let mayWrite = true
    const held = new Promise<void>((settle) => {
      server.onRequest = (what, query) => {
        if (!what.startsWith('PUT') || !query.has('partNumber')) return
        mayWrite = false
        settle()
        return new Promise(() => {})
      }
    })
    const source = new PassThrough()
    const writing = storage.write('f-lease', { source, offset: 0, mayWrite: () => mayWrite })
    source.end(Buffer.alloc(9 * MB))
    await held
    await expect(writing).rejects.toMatchObject({ code: 'offline' })
    expect([await storage.sizeOf('f-lease'), faults]).toEqual([0, []])
  })

  it('CLU-151 parts that are all there are joined by who looks next', async () => {
    const bytes = randomBytes(6 * MB)
    await storage.create('f-joined', bytes.length)
    server.onRequest = (what, query) => {
      if (what.startsWith('POST') && query.has('uploadId')) throw new Error('it is away')
    }
    await expect(write('f-joined', bytes)).rejects.toMatchObject({ code: 'offline' })
    server.onRequest = () => {}
    expect([await storage.sizeOf('f-joined'), await storage.has('f-joined')]).toEqual([bytes.length, false])
    const hash = createHash('sha256')
    for await (const chunk of await storage.whole('f-joined', bytes.length)) hash.update(chunk)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('CLU-151 a file of another size than announced, as two nodes may write it, begins anew', async () => {
    await storage.create('f-twice', 13 * MB)
    await write('f-twice', randomBytes(6 * MB))
    await write('f-twice', randomBytes(8 * MB), 6 * MB)
    await expect(storage.whole('f-twice', 13 * MB)).rejects.toMatchObject({ code: 'offline' })
    expect(await storage.sizeOf('f-twice')).toBeNull()
  })

  it('CLU-151 ATT-5 however many read a file slowly, the others have theirs', async () => {
    const size = 4 * MB
    await storage.create('f-slow', size)
    await write('f-slow', randomBytes(size))
    const slow = await Promise.all(Array.from({ length: 60 }, () => storage.whole('f-slow', size)))
    expect(await storage.has('f-slow')).toBe(true)
    for (const each of slow) (each as Readable).destroy()
  })

  it('CLU-150 other objects below the prefix are no files', async () => {
    await storage.create('not-ours', 0)
    for await (const ids of storage.slices()) expect(ids).not.toContain('not-ours')
  })
})

describe('a service with files in S3', () => {
  let bucket: S3Bucket
  let test: Awaited<ReturnType<typeof startTestService>>
  beforeAll(async () => {
    bucket = await s3Bucket()
    const s3 = place('--files', bucket.url) ?? null
    test = await startTestService((standard) => ({
      ...{ ...standard, adminToken: ADMIN },
      files: { ...standard.files, s3, folder: '/nowhere' },
    }))
  })
  afterAll(async () => {
    await test?.close()
    await bucket?.close()
  })

  it('CLU-150 takes a file in two requests, gives it to both parties, and erases it with its visitor', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const bytes = new Uint8Array(randomBytes(7 * MB))
    const upload = await announceNew(visitor, { size: bytes.length, mimetype: 'a/b' })
    expect((await tus(test.url, upload, { body: bytes.subarray(0, 2 * MB) })).status).toBe(204)
    expect((await tus(test.url, upload)).headers.get('upload-offset')).toBe(String(2 * MB))
    const rest = bytes.subarray(2 * MB)
    expect((await tus(test.url, upload, { offset: 2 * MB, body: rest })).status).toBe(204)
    const { body } = await agent.client.entry(agent.session.contact, 'attachment')
    expect(body.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    for (const reader of [visitor, agent]) {
      const url = new URL(await urlOf(reader, upload.id), test.url)
      const answer = await fetch(url)
      expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([
        ...[200, "sandbox; default-src 'none'"],
      ])
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
      const part = await fetch(url, { headers: { range: `bytes=${6 * MB}-` } })
      expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, MB])
    }
    await announceNew(visitor, { size: 10 })
    const { db } = test.service.database
    const contact = await db.selectFrom('contacts').select('visitor').where('id', '=', id).executeTakeFirst()
    const erased = await fetch(`${test.url}/v1/admin/visitors/${contact?.visitor}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ADMIN}` },
    })
    expect(erased.ok).toBe(true)
    await expect.poll(() => bucket.left()).toEqual([])
  })
})
