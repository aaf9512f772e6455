import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestContact, settled } from '../../../testing/index.ts'
import type { TestContact } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'

const KB = 1024
const bytesOf = (latin1: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(latin1, (letter) => letter.charCodeAt(0))

afterEach(() => vi.unstubAllGlobals())

/** A contact with one file, of any bytes. */
async function withFile(bytes = bytesOf('hi')): Promise<TestContact & { readonly id: string }> {
  const test = await createTestContact()
  const { id } = await test.visitor.attach(new File([bytes], 'note.txt', { type: 'text/html' }))
  await settled()
  return { ...test, id }
}

/** What the service answers to a download, and what becomes of it. */
function answering(response: (signal: AbortSignal) => Response | Promise<Response>): {
  signal: AbortSignal | null
} {
  const asked: { signal: AbortSignal | null } = { signal: null }
  vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
    asked.signal = signal
    return Promise.resolve(response(signal))
  })
  return asked
}

/** A body that a test feeds. */
function fed(): { body: ReadableStream; give: (bytes: number) => void; end: () => void; cut: () => void } {
  let out: ReadableStreamDefaultController | undefined
  const body = new ReadableStream({ start: (controller) => void (out = controller) })
  return {
    body,
    give: (bytes) => out?.enqueue(new Uint8Array(bytes)),
    end: () => out?.close(),
    cut: () => out?.error(new TypeError('network error')),
  }
}

/** Streams move in turns of their own. */
const streamed = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('opening a file', () => {
  it('ENC-300 both parties get the bytes, as a Blob', async () => {
    const { visitor, agent, id } = await withFile(bytesOf('hello'))
    for (const party of [visitor, agent]) {
      const blob = await party.openAttachment(id)
      expect([blob instanceof Blob, await blob.text(), blob.size]).toEqual([true, 'hello', 5])
    }
  })

  it.each([
    ['\x89PNG\r\n\x1a\nrest', 'image/png'],
    ['\xff\xd8\xff\xe0rest', 'image/jpeg'],
    ['GIF87a rest', 'image/gif'],
    ['GIF89a rest', 'image/gif'],
    ['RIFF\x00\n\r\x01WEBPVP8 ', 'image/webp'],
    ['RIFF\x00\x00\x00\x00WAVEfmt ', 'application/octet-stream'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', 'application/octet-stream'],
    ['<!doctype html><script>1</script>', 'application/octet-stream'],
    ['%PDF-1.7', 'application/octet-stream'],
    [' \x89PNG\r\n\x1a\n', 'application/octet-stream'],
    ['\x89PNG', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('ENC-301 the type of %j is %s, whatever its sender said', async (bytes, type) => {
    const { agent, id } = await withFile(bytesOf(bytes))
    expect((await agent.openAttachment(id)).type).toBe(type)
  })

  it('ENC-302 progress is told with the length, and a handler that throws stops nothing', async () => {
    const { agent, id } = await withFile()
    const told: number[] = []
    vi.stubGlobal('reportError', vi.fn())
    answering(() => new Response(new Uint8Array(3 * KB), { headers: { 'content-length': String(3 * KB) } }))
    const onProgress = (done: number, total: number): never => {
      told.push(done, total)
      throw new Error('in a callback')
    }
    expect((await agent.openAttachment(id, { onProgress })).size).toBe(3 * KB)
    expect(told.slice(-2)).toEqual([3 * KB, 3 * KB])
    expect(globalThis.reportError).toHaveBeenCalled()
  })
})

describe('a file that cannot be opened', () => {
  it('ENC-302 ERR-1 arguments that are none', async () => {
    const { agent, id } = await withFile()
    for (const how of [5, 'x', () => {}, { signal: {} }, { onProgress: 1 }])
      await expect(agent.openAttachment(id, how as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(agent.openAttachment(5 as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(agent.openAttachment('x'.repeat(129))).rejects.toMatchObject({ code: 'too_large' })
    await expect(agent.openAttachment('file-9')).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    [403, 'forbidden'],
    [404, 'not_found'],
    [410, 'not_found'],
    [416, 'offline'],
    [500, 'offline'],
    [503, 'offline'],
  ])('ENC-302 status %i gives %s', async (status, code) => {
    const { agent, id } = await withFile()
    answering(() => new Response('{}', { status }))
    await expect(agent.openAttachment(id)).rejects.toMatchObject({ code })
  })

  it('ENC-302 no answer, and a connection that is cut, give offline', async () => {
    const { agent, id } = await withFile()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    await expect(agent.openAttachment(id)).rejects.toMatchObject({ code: 'offline', retryable: true })
    const { body, give, cut } = fed()
    answering(() => new Response(body))
    const opening = watch(agent.openAttachment(id))
    await settled()
    give(5)
    await streamed()
    cut()
    await streamed()
    expect(opening.result).toEqual({ code: 'offline' })
  })

  it('ENC-302 more than 1 GiB is not taken, by what the service tells and by what comes', async () => {
    const { agent, id, clock } = await withFile()
    const before = clock.pending
    const asked = answering(() => new Response('x', { headers: { 'content-length': '1073741825' } }))
    await expect(agent.openAttachment(id)).rejects.toMatchObject({ code: 'too_large' })
    expect([asked.signal?.aborted, clock.pending]).toEqual([true, before])
    const body = new ReadableStream({ start: (out) => out.enqueue({ length: 1_073_741_825 }) })
    answering(() => new Response(body))
    await expect(agent.openAttachment(id)).rejects.toMatchObject({ code: 'too_large' })
  })

  it('ENC-302 ends after 30 s without a byte, and not before', async () => {
    const { agent, id, clock } = await withFile()
    const before = clock.pending
    const { body, give } = fed()
    const asked = answering(() => new Response(body))
    const opening = watch(agent.openAttachment(id))
    await settled()
    for (let count = 0; count < 3; count += 1) {
      await clock.advance(29_999)
      expect(opening.result).toBe('pending')
      give(1)
      await streamed()
    }
    await clock.advance(29_999)
    expect(opening.result).toBe('pending')
    await clock.advance(1)
    await streamed()
    expect([opening.result, asked.signal?.aborted, clock.pending]).toEqual([
      { code: 'timeout' },
      true,
      before,
    ])
  })

  it('ENC-302 ends after 30 s where the service does not answer', async () => {
    const { agent, id, clock } = await withFile()
    answering(() => new Promise(() => {}))
    const opening = watch(agent.openAttachment(id))
    await clock.advance(30_000)
    expect(opening.result).toEqual({ code: 'timeout' })
  })

  it('ENC-302 a signal ends it at any time, and nothing more of it is told', async () => {
    const { agent, id, clock } = await withFile()
    const before = clock.pending
    await expect(agent.openAttachment(id, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'withdrawn',
      retryable: false,
    })
    const [cancel, onProgress] = [new AbortController(), vi.fn()]
    const { body, give } = fed()
    const asked = answering(() => new Response(body))
    const opening = watch(agent.openAttachment(id, { signal: cancel.signal, onProgress }))
    await settled()
    give(7)
    await streamed()
    cancel.abort()
    await streamed()
    expect([opening.result, asked.signal?.aborted, clock.pending]).toEqual([
      { code: 'withdrawn' },
      true,
      before,
    ])
    expect(onProgress.mock.calls).toEqual([[7, 0]])
  })

  it('ENC-302 a signal ends it while its address is asked for', async () => {
    const { agent, id, link } = await withFile()
    const cancel = new AbortController()
    link.faults = {
      onMessage: (_party, name) => {
        if (name === 'attachment.url') cancel.abort()
        return 'pass'
      },
    }
    const opening = watch(agent.openAttachment(id, { signal: cancel.signal }))
    await settled()
    expect(opening.result).toEqual({ code: 'withdrawn' })
  })

  it('ENC-302 ERR-6 leaving ends it with left', async () => {
    const { visitor, id } = await withFile()
    const asked = answering(() => new Response(fed().body))
    const opening = watch(visitor.openAttachment(id))
    await settled()
    await visitor.leave()
    await settled()
    await streamed()
    expect([opening.result, asked.signal?.aborted]).toEqual([{ code: 'left' }, true])
    await expect(visitor.openAttachment(id)).rejects.toMatchObject({ code: 'left' })
  })
})
