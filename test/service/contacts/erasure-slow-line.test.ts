import { expect, it } from 'vitest'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry } from '../../../protocol/index.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { Hub } from '../../../service/src/connections/hub.ts'
import { entry, serviceEntry } from '../../support/entries.ts'
import { fakeConnection } from '../../support/fake-connection.ts'

const turns = async (): Promise<void> => {
  for (let count = 0; count < 10; count += 1) await new Promise((settle) => setImmediate(settle))
}

/** A contact of 40 texts that has ended, open to an agent whose connection is full. */
function endedContact() {
  const { sink, write, flush, drain } = fakeConnection()
  write(150_000)
  flush()
  const texts = Array.from({ length: 40 }, (_, index) =>
    entry(index + 1, 'visitor', 'v1', 'text', { text: 'x'.repeat(2_000) }),
  )
  const log: Entry[] = [...texts, serviceEntry(41, 'cleared', {})]
  const received: number[] = []
  const hub = new Hub({ read: () => Promise.resolve([]), onFault: () => {} })
  const channel = new Channel({
    ...{ contact: 'c', slot: 'agent', session: 'a1', principal: 'ann', nick: null, cursor: 0, head: 0 },
    read: async ({ after }) => log.slice(after, after + 8),
    view: (entries) => {
      received.push(...entries.map(({ seq }) => seq))
      return entries
    },
    ...{ sink, onFault: () => {} },
  })
  hub.attach(channel, initialContactState('visitor'))
  channel.start()
  hub.appended('c', log)
  const take = async (): Promise<void> => {
    flush()
    drain()
    await turns()
  }
  return { hub, channel, received, take }
}

it('OPS-6 SND-305 an agent on a slow line gets the whole log and its end before it is erased', async () => {
  const { hub, received, take } = endedContact()
  let isTold = false
  const told = hub.conclude('c', 41, new Promise(() => {})).then(() => (isTold = true))
  expect(isTold).toBe(false)
  for (let count = 0; count < 40; count += 1) await take()
  expect(isTold).toBe(true)
  await told
  expect(received).toEqual(Array.from({ length: 41 }, (_, index) => index + 1))
})

it('OPS-6 SND-305 an agent whose line is behind at the limit is told of the end at least', async () => {
  const { hub, channel, received } = endedContact()
  await turns()
  await hub.conclude('c', 41, Promise.resolve())
  expect([received, channel.isClosed]).toEqual([[41], true])
})

it('OPS-6 a contact that has not ended stays open: it was put under a hold meanwhile', async () => {
  const { sink } = fakeConnection()
  const hub = new Hub({ read: () => Promise.resolve([]), onFault: () => {} })
  const channel = new Channel({
    ...{ contact: 'c', slot: 'agent', session: 'a1', principal: 'ann', nick: null, cursor: 0, head: 0 },
    ...{ read: () => Promise.resolve([]), view: (entries) => entries, sink, onFault: () => {} },
  })
  hub.attach(channel, initialContactState('visitor'))
  channel.start()
  await hub.conclude('c', 0, Promise.resolve())
  expect(channel.isClosed).toBe(false)
})
