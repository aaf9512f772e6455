import { expect, it } from 'vitest'
import type { UnsentEntry } from '../../../protocol/index.ts'
import { Outbox } from '../../../sdk/log/outbox.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'

const text = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: id } })

/** An outbox whose service stores what it is sent when it is told to. */
function open() {
  const clock = new TestClock()
  const batches: { readonly ids: readonly string[]; readonly store: () => void }[] = []
  const outbox = new Outbox({
    ...{ contact: 'c', session: () => 's', clock, keep: () => {} },
    append: (drafts) =>
      new Promise((resolve) => {
        batches.push({
          ids: drafts.map(({ id }) => id),
          store: () => resolve(drafts.map(({ id }, index) => ({ id, seq: index + 1 }))),
        })
      }),
  })
  outbox.resume()
  for (const id of ['a', 'b', 'c']) outbox.add(text(id)).catch(() => {})
  return { clock, batches, outbox, drained: watch(outbox.drained()) }
}

it('SND-303 who leaves waits for what was sent as long as the service takes some of it within 5 s', async () => {
  const { clock, batches, drained } = open()
  await clock.advance(4_999)
  batches[0]?.store()
  await clock.advance(5_000)
  expect([batches.map(({ ids }) => ids), drained.result]).toEqual([[['a'], ['b', 'c']], 'pending'])
  await clock.advance(1)
  expect([drained.result, clock.pending]).toEqual([{ value: undefined }, 0])
})

it('SND-303 who leaves waits no longer than anything can be sent, or is to be sent', async () => {
  const [cut, sent] = [open(), open()]
  cut.outbox.suspend()
  for (const index of [0, 1]) {
    sent.batches[index]?.store()
    await settled()
  }
  expect([cut, sent].map(({ drained, clock }) => [drained.result, clock.pending])).toEqual([
    [{ value: undefined }, 0],
    [{ value: undefined }, 0],
  ])
})
