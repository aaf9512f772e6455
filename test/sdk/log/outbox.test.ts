import { describe, expect, it } from 'vitest'
import { ContactError, LIMITS } from '../../../protocol/index.ts'
import type { UnsentEntry } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'
import { draft, outboxByHand, text } from './outbox-by-hand.ts'

describe('outbox', () => {
  it('LOG-6 what is written while offline is kept, and goes out in the order of the calls', async () => {
    const { calls, kept, outbox, sent } = outboxByHand()
    const results = ['a', 'b', 'c'].map((id) => watch(outbox.add(text(id))))
    await settled()
    expect(sent()).toEqual([])
    expect(kept()).toEqual([text('a'), text('b'), text('c')])
    outbox.resume()
    expect(sent()).toEqual([[draft('a', 1), draft('b', 2), draft('c', 3)]])
    calls[0]?.answer()
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }])
    expect(kept()).toEqual([])
  })

  it('LOG-6 one call at a time: what comes meanwhile waits for the next', async () => {
    const { calls, outbox, sent } = outboxByHand()
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
    const { calls, ids, outbox } = outboxByHand()
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
      const { calls, clock, outbox, sent } = outboxByHand()
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
    const { calls, ids, outbox, sent } = outboxByHand()
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
    const { calls, clock, outbox, sent } = outboxByHand()
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

  it('LOG-5 what is read in the log is stored, whatever became of the answer', async () => {
    const { calls, clock, kept, outbox, sent } = outboxByHand()
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    outbox.stored('a', 7)
    calls[0]?.fail(new ContactError('offline', 'no answer'))
    await clock.advance(500)
    expect(results[0]?.result).toEqual({ value: 7 })
    expect(kept()).toEqual([text('b')])
    expect(sent()[1]).toEqual([draft('b', 2)])
  })

  it('LOG-5 LOG-8 a letter inherited from an earlier page that is in the log already is not sent, and needs no number', async () => {
    const { calls, outbox, sent } = outboxByHand()
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.stored('a', 7)
    outbox.resume()
    expect(sent()).toEqual([[draft('b', 1)]])
    calls[0]?.answer([{ id: 'b', seq: 9 }])
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ value: 7 }, { value: 9 }])
  })

  it('LOG-7 the 1,001st entry that waits fails with too_large, none is dropped', async () => {
    const { kept, outbox } = outboxByHand()
    const results = Array.from({ length: 1_001 }, (_, n) => watch(outbox.add(text(`m${n}`))))
    await settled()
    expect(results.filter(({ result }) => result === 'pending').length).toBe(1_000)
    expect(results.at(-1)?.result).toEqual({ code: 'too_large' })
    expect(kept().length).toBe(1_000)
  })

  it('LOG-7 what does not fit into 1 MiB fails with too_large', async () => {
    const { outbox } = outboxByHand()
    const large = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: 'ä'.repeat(4_000) } })
    const results = Array.from({ length: 140 }, (_, n) => watch(outbox.add(large(`m${n}`))))
    await settled()
    const taken = results.filter(({ result }) => result === 'pending').length
    expect(taken).toBeGreaterThan(125)
    expect(taken).toBeLessThan(132)
    expect(results.at(-1)?.result).toEqual({ code: 'too_large' })
  })

  it('LIFE-19 closing rejects what waits and what comes, keeps it for a later page, and leaves no timer', async () => {
    const { calls, clock, kept, outbox, sent } = outboxByHand()
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
    expect(kept()).toEqual([text('a')])
    expect(clock.pending).toBe(0)
    await clock.advance(10_000)
    expect(sent().length).toBe(2)
  })

  it('SND-12 when the channel is open again the numbers follow what the service has stored', async () => {
    const { calls, outbox, sent } = outboxByHand()
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

  it('LOG-6 only messages are kept over a page load', async () => {
    const { kept, outbox } = outboxByHand()
    void outbox.add({ id: 'p', type: 'ready', body: { ref: 3 } })
    void outbox.add(text('a'))
    void outbox.add({ id: 'k', type: 'ack', body: { ref: 'x' } })
    expect(kept()).toEqual([text('a'), { id: 'k', type: 'ack', body: { ref: 'x' } }])
  })

  it('ALG-1 ALG-2 ALG-3 media are turned round for the reader on the other side, without what is local', async () => {
    const { calls, outbox, sent } = outboxByHand()
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
