import { randomBytes } from 'node:crypto'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announce, announceNew, sendFile, tus, urlOf } from '../../support/tus.ts'

let test: TestService
let party: Party

beforeAll(async () => {
  test = await startTestService((options) => ({
    ...options,
    origins: ['https://shop.example'],
    files: { ...options.files, maxBytes: 2 ** 50, contactBytes: 2 ** 50, visitorBytes: 2 ** 50 },
  }))
  party = (await joinBoth(test)).visitor
})
afterAll(() => test.close())

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const get = async (id: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(new URL(await urlOf(party, id), test.url), { headers, method })

const HTML = '<!doctype html><script>alert(1)</script>'
const PNG_HEAD =
  '\u0089PNG\r\n\u001a\n\u0000\u0000\u0000\rIHDR\u0000\u0000\u0000\u0002\u0000\u0000\u0000\u0003\u0008\u0002\u0000\u0000\u0000'
const latin1 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'latin1'))

/**
 * What is sent: its name, what the sender calls it, what it holds; and the type under which it is given out.
 */
const HOSTILE: readonly [string, string, Uint8Array<ArrayBuffer>, string][] = [
  ['page.png', 'image/png', bytesOf(HTML), 'application/octet-stream'],
  ['page.html', 'text/html', bytesOf(HTML), 'text/html'],
  [
    'a.svg',
    'image/svg+xml',
    bytesOf('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    'image/svg+xml',
  ],
  ['polyglot.gif', 'application/javascript', latin1('GIF89a=1;alert(1)//'), 'image/gif'],
  [
    'xxe.xml',
    'application/xml',
    bytesOf('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    'application/xml',
  ],
  ['doc.pdf.html', 'text/plain', bytesOf('%PDF-1.7 /JS (app.alert(1))'), 'application/pdf'],
  ['fake.pdf', 'application/pdf', bytesOf(HTML), 'application/octet-stream'],
  ['real.bin', 'application/octet-stream', latin1(PNG_HEAD), 'image/png'],
]

describe('whatever a file holds', () => {
  it.each(HOSTILE)(
    'ATT-6 %s as %s is only ever saved, not run, sniffed or shown',
    async (name, mimetype, bytes, type) => {
      const answer = await get(await sendFile(test.url, party, bytes, { name, mimetype }))
      const shown = [
        'content-type',
        'content-disposition',
        'x-content-type-options',
        'content-security-policy',
        'cross-origin-resource-policy',
        'cache-control',
      ]
      expect(shown.map((header) => answer.headers.get(header))).toEqual([
        type,
        `attachment; filename="${name}"; filename*=UTF-8''${name}`,
        'nosniff',
        "sandbox; default-src 'none'",
        'same-site',
        'private, no-store',
      ])
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)
    },
  )

  it('ATT-6 compressed bytes stay as they are', async () => {
    const place = await announceNew(party, { size: 5 })
    expect(
      (await tus(test.url, place, { body: bytesOf('12345'), headers: { 'content-encoding': 'gzip' } }))
        .status,
    ).toBe(204)
    expect(await (await get(place.id)).text()).toBe('12345')
  })
})

const LONG = `${'x'.repeat(300)}.pdf`
const NAMES: readonly [string, string][] = [
  ['../../etc/passwd', 'passwd'],
  [String.raw`..\..\boot.ini`, 'boot.ini'],
  [String.raw`C:\x`, 'x'],
  ['con.txt', '_con.txt'],
  ['..', 'file'],
  ['/', 'file'],
  ['a\r\nSet-Cookie: b=c', 'aSet-Cookie_ b=c'],
  ['quote".txt', 'quote_.txt'],
  ['\u202Egpj.exe', 'gpj.exe'],
  ['zero\u200Bwidth', 'zerowidth'],
  ['🐦.png', '🐦.png'],
  ['e\u0301té.txt', 'été.txt'],
  ["100% 'sure'*.txt", "100% 'sure'_.txt"],
  [LONG, `${'x'.repeat(156)}.pdf`],
  ['<img src=x onerror=alert(1)>', '_img src=x onerror=alert(1)_'],
]

describe('whatever a file is called', () => {
  it.each(NAMES)('ATT-10 %j is given as %j', async (name, safe) => {
    const answer = await get(await sendFile(test.url, party, bytesOf('x'), { name }))
    const [, encoded = ''] =
      /filename\*=UTF-8''(\S*)$/.exec(answer.headers.get('content-disposition') ?? '') ?? []
    expect(decodeURIComponent(encoded)).toBe(safe)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it.each(['NUL\u0000.txt', '', 'x'.repeat(1_025)])(
    'ATT-10 a name that is no name is refused (%#)',
    async (name) => {
      await expect(announce(party, { name, size: 1 })).rejects.toMatchObject({
        code: expect.stringMatching(/invalid_argument|too_large/),
      })
    },
  )

  it.each(['', 'html', 'text/html;image/png', 'text/html\r\nx: y', 'image/*', 'a b/c'])(
    'ATT-10 the type %j is refused',
    async (mimetype) => {
      await expect(announce(party, { mimetype, size: 1 })).rejects.toMatchObject({ code: 'invalid_argument' })
    },
  )
})

describe('whatever a page is called', () => {
  const half = 'half an emoji \ud83d'

  it('SND-114 half a character in a title is mended on its way in, and both parties get the files', async () => {
    const { visitor, agent, id } = await joinBoth(test, {
      visit: { page: { url: 'https://shop.example/', title: half } },
    })
    const file = await sendFile(test.url, visitor, bytesOf('x'))
    expect((await agent.client.call('contact.read', { contact: id })).record.visit.page?.title).toBe(
      'half an emoji \ufffd',
    )
    for (const reader of [visitor, agent])
      expect((await fetch(new URL(await urlOf(reader, file), test.url))).status).toBe(200)
  })

  it('SND-114 neither does what is stored already stop the files', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const file = await sendFile(test.url, visitor, bytesOf('x'))
    const { db } = test.service.database
    await db
      .updateTable('contacts')
      .set({ details: JSON.stringify({ visit: { page: { url: 'https://shop.example/', title: half } } }) })
      .where('id', '=', id)
      .execute()
    for (const reader of [visitor, agent])
      expect((await fetch(new URL(await urlOf(reader, file), test.url))).status).toBe(200)
  })
})

describe('a file that is not there any more', () => {
  it.each(['text/plain', 'image/png', 'application/json'])(
    'ATT-5 ERR-2 one of %s whose bytes were taken away is gone: 410 in JSON, and no fault',
    async (mimetype) => {
      const id = await sendFile(test.url, party, bytesOf('bytes'), { mimetype })
      await rm(join(test.options.files.folder, id))
      const answer = await get(id)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        410,
        'application/json; charset=utf-8',
      ])
      expect(await answer.json()).toMatchObject({ error: { code: 'left' } })
    },
  )
})

describe('parts and pages', () => {
  it('ATT-5 byte ranges', async () => {
    const bytes = Uint8Array.from(randomBytes(1_000))
    const id = await sendFile(test.url, party, bytes)
    const range = async (wanted: string): Promise<[number, string | null, number]> => {
      const answer = await get(id, { range: wanted })
      const body = new Uint8Array(await answer.arrayBuffer())
      return [answer.status, answer.headers.get('content-range'), body.length]
    }
    expect(await range('bytes=10-19')).toEqual([206, 'bytes 10-19/1000', 10])
    expect(await range('bytes=-1')).toEqual([206, 'bytes 999-999/1000', 1])
    expect((await range('bytes=5000-'))[0]).toBe(416)
    const part = await get(id, { range: 'bytes=990-' })
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(990))
    expect(part.headers.get('x-content-type-options')).toBe('nosniff')
    const head = await get(id, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      '1000',
      'bytes',
    ])
  })

  it('SRV-9 pages of allowed origins may read uploads and downloads, others may not', async () => {
    const id = await sendFile(test.url, party, bytesOf('x'))
    const allowed = async (origin: string) =>
      (await get(id, { origin })).headers.get('access-control-allow-origin')
    expect([await allowed('https://shop.example'), await allowed('https://evil.example')]).toEqual([
      'https://shop.example',
      null,
    ])
    const preflight = async (origin: string) => {
      const headers = {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,tus-resumable,upload-offset,content-type',
      }
      const answer = await fetch(`${test.url}/v1/uploads/x`, { method: 'OPTIONS', headers })
      return [
        answer.status,
        answer.headers.get('access-control-allow-origin'),
        /patch/i.test(answer.headers.get('access-control-allow-methods') ?? ''),
      ]
    }
    expect(await preflight('https://shop.example')).toEqual([204, 'https://shop.example', true])
    expect(await preflight('https://evil.example')).toEqual([403, null, false])
  })
})

describe('no room', () => {
  it('ATT-9 a disk that fills up gives 507, leaves nothing behind, and the contact goes on', async () => {
    const place = await announceNew(party, { size: 10_000 })
    const file = join(test.options.files.folder, place.id)
    await rm(file)
    await symlink('/dev/full', file)
    const answer = await tus(test.url, place, { body: new Uint8Array(10_000) })
    expect([answer.status, await answer.json()]).toEqual([
      507,
      { error: { code: 'too_large', message: expect.stringContaining('no room') } },
    ])
    expect((await tus(test.url, place)).status).toBe(410)
    await sendFile(test.url, party, bytesOf('there is room again'))
  })

  it('ATT-9 a file for which there is no room is refused before it is sent', async () => {
    await expect(announce(party, { size: 2 ** 49 })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('no room'),
    })
  })
})
