import { describe, expect, it, vi } from 'vitest'
import type { ContactEvents } from '../../../protocol/index.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import type { TestContact } from '../../../testing/index.ts'
import { record, watch } from '../../support/contacts.ts'

const KB = 1024
const textFile = (text: string, name = 'note.txt', type = 'text/plain'): File =>
  new File([text], name, { type })
const bigFile = (kilobytes: number): File =>
  new File([new Uint8Array(kilobytes * KB)], 'big.bin', { type: 'application/zip' })
const SHA_OF_HI = '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4'

/** Parts of 64 KiB that have been asked for, by their offsets; the named ones are cut. */
function cutAt({ link }: TestContact, ...cuts: number[]): number[] {
  const asked: number[] = []
  const left = new Set(cuts)
  link.files.onPart = (_party, offset) => {
    asked.push(offset / KB)
    return left.delete(offset / KB) ? 'cut' : 'pass'
  }
  return asked
}

/** Moves time until something has settled: a file is read in its own time. */
async function passes({ clock }: TestContact, watched: ReturnType<typeof watch>): Promise<void> {
  while (watched.result === 'pending') await clock.advance(500)
}

describe('sending a file', () => {
  it('ATT-1 ATT-2 MSG-9 both parties get the event, and the sender the acknowledgement', async () => {
    const { visitor, agent } = await createTestContact({ contact: { nick: 'Vera' } })
    const heard = [record(visitor, 'attachment', 'ack'), record(agent, 'attachment', 'ack')]
    const attached = await visitor.attach(textFile('hi'), 'A note', 'ref-1')
    await settled()
    const meta = {
      id: attached.id,
      originalName: 'note.txt',
      mimetype: 'text/plain',
      size: 2,
      desc: 'A note',
      referenceId: 'ref-1',
      ref: 'ref-1',
      sha256: SHA_OF_HI,
    }
    const event = {
      url: attached.url,
      meta,
      id: attached.id,
      ts: 0,
      from_id: 'visitor-1',
      from_nick: 'Vera',
      agent: false,
    }
    expect(attached.referenceId).toBe('ref-1')
    expect(heard).toEqual([
      [
        ['attachment', event],
        ['ack', { ref: attached.id, from_id: 'agent-1', from_nick: 'Ada', agent: true }],
      ],
      [['attachment', event]],
    ])
    expect(await (await fetch(attached.url)).text()).toBe('hi')
    expect(await agent.attachmentUrl(attached.id)).toBe(attached.url)
  })

  it('ATT-1 the callback gets the same, and an empty file is a file', async () => {
    const { agent } = await createTestContact()
    const told: unknown[] = []
    await agent.attach(textFile('', ''), null, null, (...args) => void told.push(args))
    expect(told).toEqual([[null, { id: 'file-1', url: 'data:text/plain;base64,' }]])
  })

  it('ATT-3 progress is told, also over a cut, and the upload goes on where it was', async () => {
    const test = await createTestContact()
    const asked = cutAt(test, 128, 192)
    const told: number[] = []
    const sending = watch(
      test.visitor.attach(bigFile(250), undefined, undefined, {
        onProgress: (sent, total) => void told.push(sent / KB, total / KB),
      }),
    )
    await passes(test, sending)
    expect(sending.result).toMatchObject({ value: { id: 'file-1' } })
    expect(asked).toEqual([0, 64, 128, 128, 192, 192])
    expect(told).toEqual([64, 250, 128, 250, 192, 250, 250, 250])
  })

  it('ATT-3 while the service is away nothing is given up, and its return is noticed at once', async () => {
    const test = await createTestContact()
    test.link.faults = { onConnect: () => 'drop' }
    test.link.cut('visitor')
    const sending = watch(test.visitor.attach(textFile('hi')))
    await test.clock.advance(20_000)
    expect(sending.result).toBe('pending')
    test.link.faults = {}
    await passes(test, sending)
    expect(sending.result).toMatchObject({ value: { id: 'file-1' } })
  })

  it('ATT-3 an answer that is lost after the last byte writes no second entry', async () => {
    const test = await createTestContact()
    const { visitor, link } = test
    const heard = record(visitor, 'attachment')
    link.lose({ name: 'attachment.open', nth: 2, answerOnly: true })
    const sending = watch(visitor.attach(textFile('hi')))
    await passes(test, sending)
    expect([sending.result, heard.length]).toEqual([{ value: expect.objectContaining({ id: 'file-1' }) }, 1])
  })

  it('ATT-3 an abort ends the upload and leaves nothing', async () => {
    const test = await createTestContact()
    const cancel = new AbortController()
    const asked = cutAt(test)
    const heard = record(test.agent, 'attachment')
    const onProgress = (sent: number): void => (sent === 128 * KB ? cancel.abort() : undefined)
    await expect(
      test.visitor.attach(bigFile(500), null, null, { signal: cancel.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'withdrawn', retryable: false })
    await settled()
    expect([Math.max(...asked) <= 192, heard]).toEqual([true, []])
    await expect(
      test.visitor.attach(textFile('x'), null, null, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'withdrawn' })
  })

  it('ERR-3 a progress callback that throws is reported and stops nothing', async () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const test = await createTestContact()
    const thrown = new Error('in a callback')
    const onProgress = (): never => {
      throw thrown
    }
    const sending = watch(test.visitor.attach(bigFile(100), null, null, { onProgress }))
    await settled()
    vi.unstubAllGlobals()
    expect(sending.result).toEqual({ value: expect.objectContaining({ id: 'file-1' }) as unknown })
    expect(reported.mock.calls.flat()).toContain(thrown)
  })

  it('ATT-3 ERR-6 leaving settles what is under way with left', async () => {
    const test = await createTestContact()
    test.link.files.onPart = () => 'cut'
    const sending = watch(test.visitor.attach(bigFile(100)))
    await settled()
    await test.visitor.leave()
    await settled()
    expect(sending.result).toEqual({ code: 'left' })
    expect(watch(test.visitor.attach(textFile('x'))).result).toBe('pending')
    await expect(test.visitor.attach(textFile('x'))).rejects.toMatchObject({ code: 'left' })
  })

  it('ATT-3 ERR-6 a service that fails time after time is given up', async () => {
    const { visitor, link, clock } = await createTestContact()
    let attempts = 0
    link.files.upload = () => {
      attempts += 1
      return Promise.reject(new Error('broken'))
    }
    const sending = watch(visitor.attach(textFile('x')))
    await clock.advance(300_000)
    expect([sending.result, attempts]).toEqual([{ code: 'internal' }, 8])
  })
})

describe('what may not be sent', () => {
  it('ATT-4 CAP-1 the capabilities say what may be sent', async () => {
    const { visitor } = await createTestContact()
    expect((await visitor.getLocalCapabilities()).Media.Sharing).toEqual({
      Engines: { Native: true },
      FileTransfer: true,
      MaxFileSize: 16 * KB * KB,
      FileTypes: ['*/*'],
    })
  })

  const REFUSED = [
    ['a file that is larger than this party may send', 'visitor', { MaxFileSize: 1 }, 'too_large'],
    ['a file that is larger than the other party takes', 'agent', { MaxFileSize: 1 }, 'too_large'],
    ['a type that is not allowed', 'visitor', { FileTypes: ['image/*', 'application/pdf'] }, 'not_supported'],
    ['a type that the other party does not take', 'agent', { FileTypes: ['image/*'] }, 'not_supported'],
    ['files, where there are none', 'visitor', { FileTransfer: false }, 'not_supported'],
    ['files that the other party cannot receive', 'agent', { FileTransfer: false }, 'not_supported'],
  ] as const
  it.each(REFUSED)(
    'ATT-4 %s: %s with %j is refused with %s before anything is sent',
    async (_what, whose, sharing, code) => {
      const test = await createTestContact()
      for (const [name, value] of Object.entries(sharing))
        await test[whose].setLocalCapability(`Media.Sharing.${name}`, value)
      await settled()
      const called: string[] = []
      test.link.faults = { onMessage: (_party, name) => (called.push(name), 'pass') }
      await expect(test.visitor.attach(textFile('hi'))).rejects.toMatchObject({ code })
      expect(called).toEqual([])
    },
  )

  it.each([[undefined], [null], ['a'], [{}], [{ size: 1, slice: () => {} }], [new Uint8Array(2)]])(
    'ERR-1 %j is no file',
    async (file) => {
      const { visitor } = await createTestContact()
      await expect(visitor.attach(file as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    },
  )

  it('ERR-1 a description that is too long, and options that are none', async () => {
    const { visitor } = await createTestContact()
    await expect(visitor.attach(textFile('x'), 'x'.repeat(513))).rejects.toMatchObject({ code: 'too_large' })
    await expect(visitor.attach(textFile('x'), undefined, 5 as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(visitor.attach(textFile('x'), null, null, { signal: {} as never })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(visitor.attach(textFile('x'), null, null, { onProgress: 1 as never })).rejects.toMatchObject(
      { code: 'invalid_argument' },
    )
    await expect(visitor.attachmentUrl('file-9')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('ATT-1 a type that is none is that of any file', async () => {
    const { visitor, agent } = await createTestContact()
    const heard = record(agent, 'attachment')
    for (const type of ['', 'text', 'text/plain;charset=utf-8'])
      await visitor.attach(textFile('x', 'a', type))
    await settled()
    expect(heard.map(([, event]) => (event as ContactEvents['attachment']).meta.mimetype)).toEqual([
      'application/octet-stream',
      'application/octet-stream',
      'text/plain',
    ])
  })
})
