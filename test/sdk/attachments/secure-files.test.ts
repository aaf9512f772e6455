/** Files of a secure contact, from the sender's `File` to the reader's `Blob`: encryption.md, section 8. */
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Entry, PartyEntry, UnsentEntry } from '../../../protocol/index.ts'
import { ContactError } from '../../../protocol/index.ts'
import { attachFile } from '../../../sdk/attachments/attach.ts'
import type { AttachHost } from '../../../sdk/attachments/attach-host.ts'
import { openAttachment } from '../../../sdk/attachments/open-attachment.ts'
import { SecureFiles } from '../../../sdk/attachments/secure-files.ts'
import type { UploadSource } from '../../../sdk/attachments/uploader.ts'
import { storedSize } from '../../../sdk/crypto/files.ts'
import type { ReadEntry } from '../../../sdk/log/log-reader.ts'
import { TestClock } from '../../../testing/index.ts'

const SECRETS = ['tax return.pdf', 'a description', 'my reference', 'application/pdf', 'what it holds']
const BYTES = Uint8Array.from([...randomBytes(40_000), ...Buffer.from('what it holds')])
const FILE = new File([BYTES], 'tax return.pdf', { type: 'application/pdf' })

afterEach(() => vi.unstubAllGlobals())

const sharing = (more: object = {}) => ({
  Media: { Sharing: { Engines: {}, FileTransfer: true, MaxFileSize: 50_000, FileTypes: ['*/*'], ...more } },
  Mobile: false,
})

/** A page of a secure contact: what it asks of the service, uploads and writes. */
class Page {
  readonly asked: unknown[] = []
  readonly written: UnsentEntry[] = []
  readonly uploads: Uint8Array<ArrayBuffer>[] = []
  readonly malformed = vi.fn()
  /** As the encryption decrypts an entry; null: it has no key. */
  open: (entry: PartyEntry) => PartyEntry | null = () => null
  files = new SecureFiles({ open: (entry) => this.open(entry), onMalformed: this.malformed })
  /** How an attempt to upload ends. */
  attempt: (source: UploadSource) => Promise<void> = async (source) => {
    this.uploads.push(new Uint8Array(await (await source.slice(0, source.size)).arrayBuffer()))
  }
  add: (entry: UnsentEntry) => Promise<number> = (entry) => Promise.resolve(this.written.push(entry))
  remote = sharing()
  readonly #over = new AbortController()

  get host(): AttachHost {
    const call = (name: string, args: unknown): Promise<unknown> => {
      this.asked.push({ name, ...(args as object) })
      const isStored = this.uploads.length > 0
      if (name === 'attachment.url') return Promise.resolve({ url: '/v1/attachments/f-1', expiresInMs: 1 })
      return Promise.resolve(
        isStored
          ? { id: 'f-1', state: 'stored', seq: 9, url: '/v1/attachments/f-1?a' }
          : { id: 'f-1', state: 'open', path: '/v1/uploads/f-1', token: 't', expiresInMs: 1 },
      )
    }
    return {
      ...{ id: 'c-1', session: 's-1', service: 'https://service.example', clock: new TestClock() },
      link: { call: call as AttachHost['link']['call'], onState: () => () => {}, state: 'online' },
      membership: { requirePart: () => {}, isOver: () => false },
      capabilities: { local: sharing() as never, remote: this.remote as never },
      upload: (source) => this.attempt(source),
      ...{ secure: true, files: this.files, over: this.#over.signal },
      outbox: { add: (entry) => this.add(entry) },
    }
  }

  send(file: File = FILE, how?: object): ReturnType<typeof attachFile> {
    return attachFile(this.host, { file, desc: 'a description', referenceId: 'my reference' }, how)
  }
}

type FileEntry = Extract<UnsentEntry, { readonly type: 'file' }>
const tellingOf = (page: Page): FileEntry['body'] => {
  const [entry] = page.written
  if (entry?.type !== 'file') throw new Error('nothing was told')
  return entry.body
}

const read = (entry: object, kind = 'none'): ReadEntry =>
  ({ entry, fact: { kind }, before: {}, after: {}, answered: null }) as unknown as ReadEntry
const storedEntry = (size: number, more: object = {}): Entry =>
  ({
    ...{ seq: 4, id: 'f-1', time: 10, type: 'attachment', slot: 'service' },
    body: {
      ...{ id: 'f-1', slot: 'visitor', from: { id: 'v-1' }, originalName: 'file' },
      ...{ mimetype: 'application/octet-stream', size, sha256: 'abc', url: '/v1/attachments/f-1?b', ...more },
    },
  }) as Entry
const fileEntry = (body: object, more: object = {}): Entry =>
  ({
    ...{ seq: 5, id: 's-1.2', time: 11, type: 'file', slot: 'visitor', session: 's-1', counter: 2 },
    ...{ from: { id: 'v-1', nick: 'Vera' }, body, ...more },
  }) as unknown as Entry

/** What a page that has read both entries is told, and its files. */
async function sentAndRead(): Promise<{
  page: Page
  body: FileEntry['body']
  stored: Uint8Array<ArrayBuffer>
}> {
  const page = new Page()
  await page.send()
  const [stored = new Uint8Array()] = page.uploads
  page.files.read(read(storedEntry(stored.length)))
  return { page, body: tellingOf(page), stored }
}

/** The service gives these bytes. */
const serving = (bytes: Uint8Array<ArrayBuffer>): void =>
  void vi.stubGlobal('fetch', () => Promise.resolve(new Response(bytes)))

describe('sending an encrypted file', () => {
  it('ENC-320 ENC-321 the service hears a size and nothing else, and the other party all by the entry file', async () => {
    const page = new Page()
    const attached = await page.send()
    expect(page.asked[0]).toEqual({
      ...{ name: 'file', contact: 'c-1', session: 's-1', request: expect.any(String) as unknown },
      ...{ mimetype: 'application/octet-stream', size: storedSize(FILE.size) },
    })
    const heard = Buffer.concat([Buffer.from(JSON.stringify(page.asked)), ...page.uploads]).toString('latin1')
    for (const secret of SECRETS) expect(heard).not.toContain(secret)
    const { file, meta } = tellingOf(page)
    expect([file, attached]).toEqual([
      'f-1',
      {
        ...{ id: 'f-1', referenceId: 'my reference' },
        url: 'https://service.example/v1/attachments/f-1?a',
      },
    ])
    expect(meta).toEqual({
      ...{ name: 'tax return.pdf', mimetype: 'application/pdf', size: FILE.size, desc: 'a description' },
      ...{ referenceId: 'my reference', key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) as unknown },
    })
  })

  it('ENC-322 a cut goes on with the same bytes, under one key', async () => {
    const page = new Page()
    const parts: Buffer[] = []
    let attempts = 0
    page.attempt = async (source) => {
      const [start, end] = attempts++ === 0 ? [0, 20_001] : [20_001, source.size]
      parts.push(Buffer.from(await (await source.slice(start, end)).arrayBuffer()))
      if (attempts === 1) throw new ContactError('offline', 'unable to upload the file; it was cut')
      page.uploads.push(Uint8Array.from(Buffer.concat(parts)))
    }
    const host = page.host
    const sending = attachFile(host, { file: FILE, desc: null, referenceId: null }, null)
    await expect.poll(() => attempts).toBe(1)
    await (host.clock as TestClock).advance(1_000)
    await sending
    const [stored = new Uint8Array()] = page.uploads
    page.files.read(read(storedEntry(stored.length)))
    page.files.read(read(fileEntry(tellingOf(page))))
    serving(stored)
    const blob = await openAttachment(page.host, 'f-1', null)
    expect(Buffer.from(await blob.arrayBuffer()).equals(BYTES)).toBe(true)
  })

  it('ENC-323 what the capabilities rule out is refused by its own type and size before anything is asked', async () => {
    for (const [more, code] of [
      [{ FileTypes: ['image/*'] }, 'not_supported'],
      [{ MaxFileSize: FILE.size - 1 }, 'too_large'],
    ] as const) {
      const page = new Page()
      page.remote = sharing(more)
      await expect(page.send()).rejects.toMatchObject({ code })
      expect([page.asked, page.written]).toEqual([[], []])
    }
  })

  it('ENC-320 progress is that of the file', async () => {
    const page = new Page()
    const told: number[] = []
    const { upload, ...host } = page.host
    const slow: AttachHost['upload'] = async (source, job) => {
      for (const sent of [0, 20_000, source.size]) job.onProgress(sent)
      await upload(source, job)
    }
    const onProgress = (done: number, total: number): void => void told.push(done, total)
    await attachFile({ ...host, upload: slow }, { file: FILE, desc: null, referenceId: null }, { onProgress })
    expect(told).toEqual([0, FILE.size, 20_000, FILE.size, FILE.size, FILE.size])
  })

  it('ENC-324 it is told of only when it is stored, and attach waits until that counts', async () => {
    const page = new Page()
    page.attempt = () => Promise.reject(new ContactError('too_large', 'unable to take the file; no'))
    await expect(page.send()).rejects.toMatchObject({ code: 'too_large' })
    expect(page.written).toEqual([])
    const other = new Page()
    other.add = () => Promise.reject(new ContactError('left', 'unable to send; over'))
    await expect(other.send()).rejects.toMatchObject({ code: 'left' })
  })

  it('ENC-325 nothing is sent or opened in clear where there is no encryption', async () => {
    const page = new Page()
    const host = { ...page.host, files: null }
    const plain = { file: FILE, desc: null, referenceId: null }
    await expect(attachFile(host, plain, null)).rejects.toMatchObject({ code: 'no_crypto' })
    await expect(openAttachment(host, 'f-1', null)).rejects.toMatchObject({ code: 'no_crypto' })
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    await expect(attachFile(page.host, plain, null)).rejects.toMatchObject({ code: 'no_crypto' })
    await expect(openAttachment(page.host, 'f-1', null)).rejects.toMatchObject({ code: 'no_crypto' })
    expect([page.asked, page.uploads, page.written]).toEqual([[], [], []])
  })
})

describe('what is told of an encrypted file', () => {
  it('ENC-326 the entry of the service tells nobody, that of the sender all, under the id of the file', async () => {
    const { page, body, stored } = await sentAndRead()
    expect(page.files.told(read(storedEntry(stored.length)))).toBeNull()
    const told = page.files.told(
      read(fileEntry({ ...body, meta: { ...body.meta, name: '../a\u202Egnp.exe' } })),
    )
    expect(told?.entry).toEqual({
      ...{ type: 'attachment', slot: 'service', seq: 5, time: 11, id: 'f-1' },
      body: {
        ...{ id: 'f-1', slot: 'visitor', from: { id: 'v-1', nick: 'Vera' }, originalName: 'agnp.exe' },
        ...{ mimetype: 'application/pdf', size: FILE.size, desc: 'a description', encrypted: true },
        ...{ referenceId: 'my reference', sha256: 'abc', url: '/v1/attachments/f-1?b' },
      },
    })
  })

  it('ENC-327 a file that is not stored, of another party or of another size is malformed', async () => {
    const { page, body } = await sentAndRead()
    const wrong = [
      fileEntry({ ...body, file: 'f-2' }),
      fileEntry(body, { slot: 'agent' }),
      fileEntry({ ...body, meta: { ...body.meta, size: body.meta.size + 1 } }),
    ]
    for (const entry of wrong) expect(page.files.told(read(entry))).toBeNull()
    expect(page.malformed).toHaveBeenCalledTimes(wrong.length)
  })

  it('ENC-328 a stored file of which nobody tells is counted; a void entry tells nothing', async () => {
    const { page, body } = await sentAndRead()
    page.files.read(read(fileEntry(body), 'void'))
    expect(page.files.untold).toBe(1)
    expect(page.files.told(read(fileEntry(body), 'void'))?.entry.type).toBe('file')
    expect(() => page.files.openFile('f-1')).toThrow(expect.objectContaining({ code: 'not_found' }))
    page.files.read(read(fileEntry(body)))
    expect(page.files.untold).toBe(0)
  })

  it('ENC-326 everything else is told as it is', () => {
    const text = read({ seq: 1, id: 't', type: 'text', slot: 'visitor', body: { text: 'x' } })
    expect(new Page().files.told(text)).toBe(text)
  })
})

describe('opening an encrypted file', () => {
  it('ENC-329 gives the bytes, of the type that they show, with the progress of the file', async () => {
    const { page, body, stored } = await sentAndRead()
    page.files.read(read(fileEntry(body)))
    serving(stored)
    const told: number[] = []
    const onProgress = (done: number, total: number): void => void told.push(done, total)
    const blob = await openAttachment(page.host, 'f-1', { onProgress })
    expect([blob.type, Buffer.from(await blob.arrayBuffer()).equals(BYTES)]).toEqual([
      'application/octet-stream',
      true,
    ])
    expect(told.slice(-2)).toEqual([FILE.size, FILE.size])
  })

  it('ENC-330 bytes that are cut, longer or changed give tampered, and nothing of them', async () => {
    const { page, body, stored } = await sentAndRead()
    page.files.read(read(fileEntry(body)))
    const flipped = stored.map((byte, at) => (at === 30_000 ? byte ^ 1 : byte))
    const longer = Uint8Array.from([...stored, 0])
    for (const bytes of [
      stored.slice(0, -1),
      stored.slice(0, 56 + 16_400),
      longer,
      flipped,
      new Uint8Array(),
    ]) {
      serving(bytes)
      await expect(openAttachment(page.host, 'f-1', null)).rejects.toMatchObject({ code: 'tampered' })
    }
  })

  it('ENC-331 an entry from before this page is opened when it is asked for; without its key: invalid_key', async () => {
    const { page, body, stored } = await sentAndRead()
    const sealed = fileEntry({ ...body, meta: 'ciphertext', encrypted: ['meta'] })
    page.files.read(read(sealed))
    serving(stored)
    await expect(openAttachment(page.host, 'f-1', null)).rejects.toMatchObject({ code: 'invalid_key' })
    page.open = (entry) => (entry === sealed ? (fileEntry(body) as PartyEntry) : null)
    expect((await openAttachment(page.host, 'f-1', null)).size).toBe(FILE.size)
  })
})
