import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { startTestService, testOptions } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announce, announceNew, sendFile, tus, urlOf } from '../../support/tus.ts'

const KB = 1024
/** A round of retention runs beside the test, as fast as the machine lets it. */
const ROUND = { timeout: 20_000 }
const adminToken = 'an administration token'
let test: TestService
let folder: string

beforeAll(async () => {
  test = await startTestService((options) => ({
    ...options,
    adminToken,
    origins: ['https://shop.example'],
    files: { ...options.files, maxBytes: 64 * KB, contactBytes: 256 * KB, visitorBytes: 300 * KB },
  }))
  folder = test.options.files.folder
})
afterAll(() => test.close())

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
/** One red pixel. */
const PNG = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
  ),
)
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(url, test.url), { headers })
const entryOf = (party: Party, id: string) =>
  party.client.entry(party.session.contact, 'attachment', (entry) => entry.id === id)
const isThere = async (id: string): Promise<boolean> => (await readdir(folder)).includes(id)

describe('sending a file', () => {
  it('ATT-1 ATT-2 SRV-2 both parties get one entry of the service with all that is known of the file, and the bytes', async () => {
    const { visitor, agent, id: contact } = await joinBoth(test)
    const asked = { name: 'pixel.png', mimetype: 'image/png', desc: 'One pixel', referenceId: 'ref 1' }
    const id = await sendFile(test.url, visitor, PNG, asked)
    const { record } = await visitor.client.call('contact.read', { contact })
    const meta = {
      originalName: 'pixel.png',
      mimetype: 'image/png',
      size: PNG.length,
      desc: 'One pixel',
      referenceId: 'ref 1',
      width: 1,
      height: 1,
      sha256: shaOf(PNG),
    }
    const from = { id: record.visitor.id, nick: 'Vera' }
    for (const party of [visitor, agent]) {
      const { body, slot } = await entryOf(party, id)
      const { url, ...rest } = body
      expect({ slot, rest }).toEqual({ slot: 'service', rest: { ...meta, id, slot: 'visitor', from } })
      expect(new Uint8Array(await (await get(url ?? '')).arrayBuffer())).toEqual(PNG)
    }
    expect(record.transcript.messages).toBe(1)
  })

  it('ATT-3 an upload goes on where it was cut, and telling of it twice writes one entry', async () => {
    const { visitor } = await joinBoth(test)
    const bytes = Uint8Array.from(randomBytes(50 * KB))
    const request = randomUUID()
    const place = await announceNew(visitor, { request, size: bytes.length })
    expect((await tus(test.url, place, { body: bytes.slice(0, 20 * KB) })).headers.get('upload-offset')).toBe(
      String(20 * KB),
    )
    const again = await announceNew(visitor, { request, size: bytes.length })
    expect(again.id).toBe(place.id)
    const { headers } = await tus(test.url, again)
    expect([headers.get('upload-offset'), headers.get('upload-length')]).toEqual([
      String(20 * KB),
      String(bytes.length),
    ])
    expect((await tus(test.url, again, { body: bytes.slice(20 * KB), offset: 20 * KB })).status).toBe(204)
    const stored = await announce(visitor, { request, size: bytes.length })
    expect(stored).toMatchObject({ id: place.id, state: 'stored', url: expect.stringContaining(place.id) })
    const entries = visitor.client
      .entries(visitor.session.contact)
      .filter((entry) => entry.type === 'attachment')
    expect(entries.map((entry) => entry.body.sha256)).toEqual([shaOf(bytes)])
  })

  it('ATT-3 what a broken connection has brought stays', async () => {
    const { visitor } = await joinBoth(test)
    const place = await announceNew(visitor, { size: 40 * KB })
    const isKept = async (): Promise<boolean> =>
      (await stat(join(folder, place.id)).catch(() => null))?.size === 10 * KB
    const cut = new ReadableStream({
      start: (stream) => stream.enqueue(new Uint8Array(10 * KB)),
      pull: async (stream) => {
        while (!(await isKept())) await new Promise((settle) => setImmediate(settle))
        stream.error(new Error('cut'))
      },
    })
    await expect(tus(test.url, place, { body: cut })).rejects.toThrow('fetch failed')
    const offset = async (): Promise<number> =>
      Number((await tus(test.url, place)).headers.get('upload-offset'))
    await expect.poll(offset).toBe(10 * KB)
    expect((await tus(test.url, place, { body: new Uint8Array(30 * KB), offset: 10 * KB })).status).toBe(204)
  })

  it('ATT-3 an upload that is given up leaves nothing', async () => {
    const { visitor } = await joinBoth(test)
    const place = await announceNew(visitor, { size: 2 * KB })
    await tus(test.url, place, { body: new Uint8Array(KB) })
    expect((await tus(test.url, place, { method: 'DELETE' })).status).toBe(204)
    expect(await isThere(place.id)).toBe(false)
    expect((await tus(test.url, place)).status).toBe(410)
  })

  it('ATT-6 an empty file, and one of exactly the size that is allowed', async () => {
    const { visitor } = await joinBoth(test)
    expect(await announce(visitor, { size: 0 })).toMatchObject({ state: 'stored' })
    await sendFile(test.url, visitor, new Uint8Array(64 * KB))
    await expect(announce(visitor, { size: 64 * KB + 1 })).rejects.toMatchObject({ code: 'too_large' })
  })

  it('ATT-8 more bytes than announced, offsets that jump and lengths that lie are refused and change nothing', async () => {
    const { visitor } = await joinBoth(test)
    const place = await announceNew(visitor, { size: 4 })
    const refused = [
      { body: bytesOf('12345') },
      { body: bytesOf('1'), offset: 2 },
      { body: bytesOf('1'), offset: -1 },
      { body: bytesOf('1'), headers: { 'upload-offset': '0x0' } },
      { body: bytesOf('1'), headers: { 'upload-length': '2' } },
      { body: bytesOf('1'), headers: { 'upload-defer-length': '1', 'upload-length': '1' } },
      { body: bytesOf('1'), headers: { 'content-type': 'text/html' } },
      { body: bytesOf('1'), headers: { 'tus-resumable': '0.2.2' } },
    ]
    for (const request of refused)
      expect(
        (await tus(test.url, place, request)).status,
        JSON.stringify(request.headers ?? request),
      ).toBeGreaterThanOrEqual(400)
    expect((await tus(test.url, place)).headers.get('upload-offset')).toBe('0')
    const chunked = new ReadableStream({
      start: (stream) => (stream.enqueue(bytesOf('123456')), stream.close()),
    })
    expect((await tus(test.url, place, { body: chunked })).status).toBe(413)
    expect((await stat(join(folder, place.id))).size).toBeLessThanOrEqual(4)
  })

  it('ATT-3 two writers at once, and creation beside the protocol', async () => {
    const { visitor } = await joinBoth(test)
    const bytes = Uint8Array.from(randomBytes(32 * KB))
    const place = await announceNew(visitor, { size: bytes.length })
    const answers = await Promise.all([
      tus(test.url, place, { body: bytes }),
      tus(test.url, place, { body: bytes }),
    ])
    expect(
      answers.map(({ status }) => status).filter((status) => status === 204).length,
    ).toBeGreaterThanOrEqual(1)
    expect((await entryOf(visitor, place.id)).body.sha256).toBe(shaOf(bytes))
    for (const method of ['POST', 'PUT', 'GET'])
      expect(
        (await fetch(`${test.url}/v1/uploads/${place.id}`, { method, headers: { 'tus-resumable': '1.0.0' } }))
          .status,
      ).toBe(404)
    expect(
      (
        await fetch(`${test.url}/v1/uploads`, {
          method: 'POST',
          headers: { 'tus-resumable': '1.0.0', 'upload-length': '1' },
        })
      ).status,
    ).toBe(404)
  })

  it('ATT-8 quotas of a contact and of a visitor', async () => {
    const { visitor, agent } = await joinBoth(test)
    for (let count = 0; count < 4; count += 1) await sendFile(test.url, agent, new Uint8Array(60 * KB))
    await expect(announce(agent, { size: 20 * KB })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('contact'),
    })
    await announce(visitor, { size: 10 * KB })
    const other = await queueVisitor(test)
    const again = { ...other, client: await test.visitorAgain(other.client) }
    for (let count = 0; count < 4; count += 1) await announce(other, { size: 64 * KB })
    const { contact } = await again.client.call('contact.create', { request: randomUUID(), contact: {} })
    const session = `s-${randomUUID()}`
    await again.client.call('contact.open', { contact, session, cursor: 0 })
    const ask = () =>
      again.client.call('attachment.open', {
        contact,
        session,
        request: randomUUID(),
        name: 'a',
        mimetype: 'text/plain',
        size: 60 * KB,
      })
    await expect(ask()).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('day') })
    test.clock.advance(86_400_000)
  })

  it('ATT-8 the quota of a visitor holds for files that are announced in several contacts at once', async () => {
    const { client } = await queueVisitor(test)
    const opened = Array.from({ length: 8 }, async () => {
      const { contact } = await client.call('contact.create', { request: randomUUID(), contact: {} })
      const session = `s-${randomUUID()}`
      await client.call('contact.open', { contact, session, cursor: 0 })
      return { contact, session }
    })
    const file = () => ({ request: randomUUID(), name: 'a', mimetype: 'text/plain', size: 60 * KB })
    const asked = await Promise.allSettled(
      (await Promise.all(opened)).map((place) => client.call('attachment.open', { ...place, ...file() })),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    test.clock.advance(86_400_000)
  })
})

describe('what is stored goes', () => {
  it('OPS-6 with the visitor, and an old address then tells so', async () => {
    const { visitor } = await joinBoth(test)
    const id = await sendFile(test.url, visitor, bytesOf('mine'))
    const url = await urlOf(visitor, id)
    const { record } = await visitor.client.call('contact.read', { contact: visitor.id })
    expect(await isThere(id)).toBe(true)
    await fetch(`${test.url}/v1/admin/visitors/${record.visitor.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(await isThere(id)).toBe(false)
    expect((await get(url)).status).toBe(410)
  })

  it('OPS-6 a while after the contact, and uploads that nobody goes on with after a day', async () => {
    const { visitor, agent } = await joinBoth(test)
    const id = await sendFile(test.url, visitor, bytesOf('old'))
    const { id: stale } = await announceNew(visitor, { size: 4 })
    await agent.session.leave()
    test.clock.advance(25 * 3_600_000)
    await expect.poll(() => isThere(stale), ROUND).toBe(false)
    expect(await isThere(id)).toBe(true)
    test.clock.advance(test.options.retention.filesMs)
    await expect.poll(() => isThere(id), ROUND).toBe(false)
  })
})

describe('options', () => {
  it.each([
    '--max-file=-1',
    '--max-file=x',
    '--contact-files=0',
    '--file-type=text',
    '--file-type=text/<b>',
    '--file-link=0',
    '--file-origin=files',
  ])('ATT-8 %s is refused', (flag) => {
    expect(() => testOptions('.', {}, [flag])).toThrow(/--(max|contact|file)-?/)
  })

  it('ATT-8 production allows less than local use', () => {
    const sizes = (args: readonly string[]) => {
      const { maxBytes, visitorBytes } = testOptions('.', {}, args).files
      return [maxBytes / KB / KB, visitorBytes / KB / KB]
    }
    const production = [
      '--mode=production',
      '--origin=https://a.example',
      '--agent-jwks=https://b.example/k',
      '--agent-issuer=i',
      '--agent-audience=a',
    ]
    expect([sizes([]), sizes(production), sizes([...production, '--max-file=7'])]).toEqual([
      [2048, 8192],
      [25, 100],
      [7, 100],
    ])
  })
})
