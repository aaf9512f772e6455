import { beforeEach, describe, expect, it } from 'vitest'
import { ContactError, LIMITS } from '../../../protocol/index.ts'
import type { Appended, Draft, UnsentEntry } from '../../../protocol/index.ts'
import { Outbox } from '../../../sdk/log/outbox.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'

const text = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: id } })
const draft = (id: string, counter: number): Draft => ({
  id,
  session: 's',
  counter,
  type: 'text',
  body: { text: id },
})

let clock: TestClock
/** Calls to the service, each waiting for its answer. */
let calls: {
  readonly drafts: readonly Draft[]
  readonly answer: (appended?: readonly Appended[]) => void
  readonly fail: (error: ContactError) => void
}[]
let kept: readonly UnsentEntry[]
let outbox: Outbox

beforeEach(() => {
  clock = new TestClock()
  calls = []
  kept = []
  outbox = new Outbox({
    contact: 'c',
    session: () => 's',
    clock,
    append: (drafts) =>
      new Promise((resolve, reject) => {
        const stored = drafts.map(({ id }, index) => ({ id, seq: index + 1 }))
        calls.push({ drafts, answer: (appended = stored) => resolve(appended), fail: reject })
      }),
    keep: (letters) => (kept = letters),
  })
})

const sent = (): (readonly Draft[])[] => calls.map(({ drafts }) => drafts)
const ids = (): string[][] => calls.map(({ drafts }) => drafts.map(({ id }) => id))

describe('outbox', () => {
  it('LOG-6 what is written while offline is kept, and goes out in the order of the calls', async () => {
    const results = ['a', 'b', 'c'].map((id) => watch(outbox.add(text(id))))
    await settled()
    expect(sent()).toEqual([])
    expect(kept).toEqual([text('a'), text('b'), text('c')])
    outbox.resume()
    expect(sent()).toEqual([[draft('a', 1), draft('b', 2), draft('c', 3)]])
    calls[0]?.answer()
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }])
    expect(kept).toEqual([])
  })

  it('LOG-6 one call at a time: what comes meanwhile waits for the next', async () => {
    outbox.resume()
    await settled()
    void outbox.add(text('a'))
    void outbox.add(text('b'))
    void outbox.add(text('c'))
    expect(sent()).toEqual([[draft('a', 1)]])
    calls[0]?.answer()
    await settled()
    expect(sent()).toEqual([[draft('a', 1)], [draft('b', 2), draft('c', 3)]])
  })

  it('LOG-6 a call is not larger than the service takes', async () => {
    for (let n = 1; n <= 70; n++) void outbox.add(text(`m${n}`))
    outbox.resume()
    calls[0]?.answer()
    await settled()
    calls[1]?.answer()
    await settled()
    expect(ids().map(({ length }) => length)).toEqual([32, 32, 6])
  })

  it.each(['offline', 'timeout', 'internal'] as const)(
    'LOG-5 LOG-8 after %s the same drafts are sent again with the same numbers',
    async (code) => {
      const result = watch(outbox.add(text('a')))
      outbox.resume()
      calls[0]?.fail(new ContactError(code, 'no answer'))
      await settled()
      void outbox.add(text('b'))
      await clock.advance(500)
      expect(sent()).toEqual([[draft('a', 1)], [draft('a', 1), draft('b', 2)]])
      calls[1]?.answer()
      await settled()
      expect(result.result).toEqual({ value: 1 })
      expect(clock.pending).toBe(0)
    },
  )

  it('LOG-6 SRV-7 a call fits in a frame, however long its texts are, and a text that is larger than others alone goes alone', async () => {
    const long = Array.from({ length: 40 }, (_, index): UnsentEntry => ({
      id: `long ${index}`,
      type: 'text',
      body: { text: 'x'.repeat(LIMITS.textBytes) },
    }))
    const escaped: UnsentEntry = {
      id: 'escaped',
      type: 'text',
      body: { text: '\u0001'.repeat(LIMITS.textBytes) },
    }
    const letters = [escaped, ...long, escaped]
    for (const letter of letters) void outbox.add(letter)
    outbox.resume()
    for (let call = 0; call < calls.length; call++) {
      calls[call]?.answer()
      await settled()
    }
    expect(ids().flat()).toEqual(letters.map(({ id }) => id))
    expect(Math.max(...sent().map((drafts) => JSON.stringify(drafts).length))).toBeLessThan(LIMITS.frameBytes)
  })

  it('LOG-6 suspended, nothing is sent; a call under way may still be answered', async () => {
    outbox.resume()
    await settled()
    const [first, second] = [watch(outbox.add(text('a'))), watch(outbox.add(text('b')))]
    outbox.suspend()
    calls[0]?.answer()
    await clock.advance(60_000)
    expect(sent().length).toBe(1)
    expect([first.result, second.result]).toEqual([{ value: 1 }, 'pending'])
    outbox.resume()
    expect(sent()[1]).toEqual([draft('b', 2)])
  })

  it('LOG-9 a final refusal fails its call alone and uses up its number', async () => {
    const results = ['a', 'b', 'c'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    calls[0]?.answer([
      { id: 'a', seq: 1 },
      { id: 'b', error: { code: 'too_large', message: 'no' } },
      { id: 'c', seq: 2 },
    ])
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 1 }, { code: 'too_large' }, { value: 2 }])
    void outbox.add(text('d'))
    expect(sent()[1]).toEqual([draft('d', 4)])
  })

  it.each([
    ['rate_limited', 2_000],
    ['offline', undefined],
  ] as const)('LOG-9 %s leaves the entry first', async (code, retryAfterMs) => {
    const results = ['a', 'b', 'c'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    calls[0]?.answer([
      { id: 'a', seq: 1 },
      { id: 'b', error: { code, message: 'not now', ...(retryAfterMs !== undefined && { retryAfterMs }) } },
      { id: 'c', error: { code: 'invalid_state', message: 'the counter does not follow' } },
    ])
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 1 }, 'pending', 'pending'])
    await clock.advance((retryAfterMs ?? 500) - 1)
    expect(sent().length).toBe(1)
    await clock.advance(1)
    expect(sent()[1]).toEqual([draft('b', 2), draft('c', 3)])
  })

  it('LOG-9 a call that is refused as a whole fails all of it, and its numbers are given again', async () => {
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    calls[0]?.fail(new ContactError('forbidden', 'not yours'))
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ code: 'forbidden' }, { code: 'forbidden' }])
    void outbox.add(text('c'))
    expect(sent()[1]).toEqual([draft('c', 1)])
  })

  it('LOG-5 what is read in the log is stored, whatever became of the answer', async () => {
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    outbox.stored('a', 7)
    calls[0]?.fail(new ContactError('offline', 'no answer'))
    await clock.advance(500)
    expect(results[0]?.result).toEqual({ value: 7 })
    expect(kept).toEqual([text('b')])
    expect(sent()[1]).toEqual([draft('b', 2)])
  })

  it('LOG-5 LOG-8 a letter inherited from an earlier page that is in the log already is not sent, and needs no number', async () => {
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.stored('a', 7)
    outbox.resume()
    expect(sent()).toEqual([[draft('b', 1)]])
    calls[0]?.answer([{ id: 'b', seq: 9 }])
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 7 }, { value: 9 }])
  })

  it('LOG-7 the 1,001st entry that waits fails with too_large, none is dropped', async () => {
    const results = Array.from({ length: 1_001 }, (_, n) => watch(outbox.add(text(`m${n}`))))
    await settled()
    expect(results.filter(({ result }) => result === 'pending').length).toBe(1_000)
    expect(results.at(-1)?.result).toEqual({ code: 'too_large' })
    expect(kept.length).toBe(1_000)
  })

  it('LOG-7 what does not fit into 1 MiB fails with too_large', async () => {
    const large = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: 'ä'.repeat(4_000) } })
    const results = Array.from({ length: 140 }, (_, n) => watch(outbox.add(large(`m${n}`))))
    await settled()
    const taken = results.filter(({ result }) => result === 'pending').length
    expect(taken).toBeGreaterThan(125)
    expect(taken).toBeLessThan(132)
    expect(results.at(-1)?.result).toEqual({ code: 'too_large' })
  })

  it('LIFE-19 closing rejects what waits and what comes, keeps it for a later page, and leaves no timer', async () => {
    const results = [watch(outbox.add(text('a')))]
    outbox.resume()
    calls[0]?.fail(new ContactError('offline', 'no answer'))
    await settled()
    outbox.suspend()
    outbox.resume()
    calls[1]?.fail(new ContactError('offline', 'no answer'))
    await settled()
    outbox.close(new ContactError('left', 'over'))
    results.push(watch(outbox.add(text('b'))))
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ code: 'left' }, { code: 'left' }])
    expect(kept).toEqual([text('a')])
    expect(clock.pending).toBe(0)
    await clock.advance(10_000)
    expect(sent().length).toBe(2)
  })

  it.each(['internal', 'protocol'] as const)(
    'SND-25 SND-306 an entry that is answered with %s for a minute is refused, and those behind it are sent',
    async (code) => {
      const results = ['a', 'poison', 'c'].map((id) => watch(outbox.add(text(id))))
      outbox.resume()
      for (let call = 0; call < 400 && results[2]?.result === 'pending'; call++) {
        const last = calls.at(-1)
        if (last?.drafts.some(({ id }) => id === 'poison'))
          last.fail(new ContactError(code, 'unable to store it'))
        else last?.answer()
        await clock.advance(500)
      }
      expect(results.map(({ result }) => result)).toEqual([{ value: 1 }, { code }, { value: 1 }])
      expect(clock.now()).toBeGreaterThan(59_000)
      expect(clock.now()).toBeLessThan(65_000)
    },
  )

  it('SND-25 an answer that cannot be read decides nothing: the batch may be stored', async () => {
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    calls[0]?.fail(new ContactError('protocol', 'unable to read the answer'))
    await clock.advance(500)
    expect(results.map(({ result }) => result)).toEqual(['pending', 'pending'])
    calls[1]?.answer()
    await settled()
    expect([results.map(({ result }) => result), sent()[1]]).toEqual([
      [{ value: 1 }, { value: 2 }],
      sent()[0],
    ])
  })

  it('SND-12 when the channel is open again the numbers follow what the service has stored', async () => {
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.resume(0)
    calls[0]?.fail(new ContactError('offline', 'no answer'))
    outbox.suspend()
    await settled()
    outbox.stored('a', 7)
    outbox.resume(0)
    expect(sent()[1]).toEqual([draft('b', 1)])
    calls[1]?.answer()
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 7 }, { value: 1 }])
  })

  it('SND-3 a refusal fails what waits and what comes, keeps nothing of it, and ends with the next opening', async () => {
    const first = watch(outbox.add(text('a')))
    outbox.refuse(new ContactError('unauthorized', 'no'))
    const second = watch(outbox.add(text('b')))
    await settled()
    expect([first.result, second.result, kept]).toEqual([
      { code: 'unauthorized' },
      { code: 'unauthorized' },
      [],
    ])
    void outbox.add(text('b')).catch(() => {})
    outbox.resume(0)
    void outbox.add(text('c'))
    expect(sent()).toEqual([[draft('c', 1)]])
  })

  it('LOG-6 only messages are kept over a page load', async () => {
    void outbox.add({ id: 'p', type: 'ready', body: { ref: 3 } })
    void outbox.add(text('a'))
    void outbox.add({ id: 'k', type: 'ack', body: { ref: 'x' } })
    expect(kept).toEqual([text('a'), { id: 'k', type: 'ack', body: { ref: 'x' } }])
  })

  it('ALG-1 ALG-2 ALG-3 media are turned round for the reader on the other side, without what is local', async () => {
    outbox.resume()
    await settled()
    const voice = { tx: true, rx: false, via: 'net', engine: 'WebRTC' }
    void outbox.add({
      id: 'o',
      type: 'offer',
      body: { offer: { Voice: { tx: 'required', rx: 'off', via: 'net', engine: 'WebRTC' } }, restore: false },
    })
    calls[0]?.answer()
    await settled()
    void outbox.add({
      id: 'd',
      type: 'direct',
      body: { target: { Voice: { ...voice, data: { tx_stream: {} as MediaStream } } }, restore: true },
    })
    void outbox.add({ id: 'a', type: 'answer', body: { ref: 1, answer: { Voice: voice } } })
    calls[1]?.answer()
    await settled()
    expect(
      sent()
        .flat()
        .map(({ body }) => body),
    ).toEqual([
      { offer: { Voice: { tx: 'off', rx: 'required', via: 'net', engine: 'WebRTC' } }, restore: false },
      { target: { Voice: { tx: false, rx: true, via: 'net', engine: 'WebRTC' } }, restore: true },
      { ref: 1, answer: { Voice: { tx: false, rx: true, via: 'net', engine: 'WebRTC' } } },
    ])
  })
})

describe('what its sender cancels', () => {
  const cancelled = { code: 'withdrawn' }

  it('SND-340 leaves the outbox and what is kept of it, and what follows has its number', async () => {
    const abort = new AbortController()
    const results = [outbox.add(text('a'), { signal: abort.signal }), outbox.add(text('b'))].map(watch)
    abort.abort()
    await settled()
    expect([results[0]?.result, kept]).toEqual([cancelled, [text('b')]])
    outbox.resume()
    expect(sent()).toEqual([[draft('b', 1)]])
    const late = watch(outbox.add(text('c'), { signal: abort.signal }))
    await settled()
    expect([late.result, kept]).toEqual([cancelled, [text('b')]])
  })

  it('SND-340 is not taken back where it may be stored: the log decides', async () => {
    const abort = new AbortController()
    const result = watch(outbox.add(text('a'), { signal: abort.signal }))
    outbox.resume()
    abort.abort()
    calls[0]?.fail(new ContactError('offline', 'the answer was lost'))
    await settled()
    expect([result.result, kept]).toEqual(['pending', [text('a')]])
    await clock.advance(500)
    calls[1]?.answer()
    await settled()
    expect([ids(), result.result]).toEqual([[['a'], ['a']], { value: 1 }])
  })

  it('SND-340 is not sent again under another key, nor to the contact that goes on', async () => {
    const abort = new AbortController()
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id), { signal: abort.signal })))
    outbox.resume()
    abort.abort()
    outbox.again('a')
    outbox.startAnew()
    await settled()
    outbox.resume(0)
    calls[0]?.fail(new ContactError('offline', 'the connection was lost'))
    await clock.advance(60_000)
    expect([ids(), results.map(({ result }) => result)]).toEqual([[['a', 'b']], [cancelled, cancelled]])
  })
})
