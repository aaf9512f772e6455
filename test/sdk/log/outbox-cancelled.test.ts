import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'
import { draft, outboxByHand, text } from './outbox-by-hand.ts'

describe('what its sender cancels', () => {
  const cancelled = { code: 'withdrawn' }

  it('SND-340 leaves the outbox and what is kept of it, and what follows has its number', async () => {
    const { kept, outbox, sent } = outboxByHand()
    const abort = new AbortController()
    const results = [outbox.add(text('a'), { signal: abort.signal }), outbox.add(text('b'))].map(watch)
    abort.abort()
    await settled()
    expect([results[0]?.result, kept()]).toEqual([cancelled, [text('b')]])
    outbox.resume()
    expect(sent()).toEqual([[draft('b', 1)]])
    const late = watch(outbox.add(text('c'), { signal: abort.signal }))
    await settled()
    expect([late.result, kept()]).toEqual([cancelled, [text('b')]])
  })

  it('SND-340 is not taken back where it may be stored: the log decides', async () => {
    const { calls, clock, ids, kept, outbox } = outboxByHand()
    const abort = new AbortController()
    const result = watch(outbox.add(text('a'), { signal: abort.signal }))
    outbox.resume()
    abort.abort()
    calls[0]?.fail(new ContactError('offline', 'the answer was lost'))
    await settled()
    expect([result.result, kept()]).toEqual(['pending', [text('a')]])
    await clock.advance(500)
    calls[1]?.answer()
    await settled()
    expect([ids(), result.result]).toEqual([[['a'], ['a']], { value: 1 }])
  })

  it('SND-340 is not sent again under another key, nor to the contact that goes on', async () => {
    const { calls, clock, ids, outbox } = outboxByHand()
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
