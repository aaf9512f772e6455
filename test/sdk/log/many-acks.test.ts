import { expect, it } from 'vitest'
import type { Draft } from '../../../protocol/index.ts'
import { Outbox } from '../../../sdk/log/outbox.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'

it('SND-306 acknowledgements of many messages keep no own message from being sent, and are all sent', async () => {
  const sent: Draft[] = []
  const outbox = new Outbox({
    contact: 'contact-1',
    session: () => 'session-1',
    clock: new TestClock(),
    append: (drafts) => {
      sent.push(...drafts)
      return Promise.resolve(drafts.map(({ id }) => ({ id, seq: sent.length })))
    },
    keep: () => {},
  })
  const acks = Array.from({ length: 1_300 }, (_, index) =>
    watch(outbox.add({ id: `ack-${index}`, type: 'ack', body: { ref: `text-${index}` } })),
  )
  const own = watch(outbox.add({ id: 'own', type: 'text', body: { text: 'I am back' } }))
  outbox.resume()
  for (let at = 0; at < 60 && own.result === 'pending'; at++) await settled()
  expect(own.result).toEqual({ value: expect.any(Number) as number })
  expect(acks.filter(({ result }) => result === 'pending' || 'code' in (result as object))).toEqual([])
})
