import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'
import { draft, outboxByHand, text } from './outbox-by-hand.ts'

describe('outbox', () => {
  it('LOG-9 a final refusal fails its call alone and uses up its number', async () => {
    const { calls, outbox, sent } = outboxByHand()
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
    const { calls, clock, outbox, sent } = outboxByHand()
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
    const { calls, outbox, sent } = outboxByHand()
    const results = ['a', 'b'].map((id) => watch(outbox.add(text(id))))
    outbox.resume()
    calls[0]?.fail(new ContactError('forbidden', 'not yours'))
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ code: 'forbidden' }, { code: 'forbidden' }])
    void outbox.add(text('c'))
    expect(sent()[1]).toEqual([draft('c', 1)])
  })

  it.each(['internal', 'protocol'] as const)(
    'SND-25 SND-306 an entry that is answered with %s for a minute is refused, and those behind it are sent',
    async (code) => {
      const { calls, clock, outbox } = outboxByHand()
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
    const { calls, clock, outbox, sent } = outboxByHand()
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

  it('SND-3 a refusal fails what waits and what comes, keeps nothing of it, and ends with the next opening', async () => {
    const { kept, outbox, sent } = outboxByHand()
    const first = watch(outbox.add(text('a')))
    outbox.refuse(new ContactError('unauthorized', 'no'))
    const second = watch(outbox.add(text('b')))
    await settled()
    expect([first.result, second.result, kept()]).toEqual([
      { code: 'unauthorized' },
      { code: 'unauthorized' },
      [],
    ])
    void outbox.add(text('b')).catch(() => {})
    outbox.resume(0)
    void outbox.add(text('c'))
    expect(sent()).toEqual([[draft('c', 1)]])
  })
})
