import { Decoder } from 'socket.io-parser'
import { expect, it } from 'vitest'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry, RelayFrame } from '../../../protocol/index.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { Hub } from '../../../service/src/connections/hub.ts'
import { WAITING_LIMIT } from '../../../service/src/connections/packet-sink.ts'
import { AnswerQueue } from '../../../service/src/connections/answer-queue.ts'
import { checkFrame } from '../../../service/src/relay/frame-limits.ts'
import { entry, present } from '../../support/entries.ts'
import { fakeConnection } from '../../support/fake-connection.ts'

const turn = () => new Promise((settle) => setImmediate(settle))

it('SND-102 a push is an event of Socket.IO, also where several connections are sent the same list', () => {
  const entries = [entry(1, 'visitor', 'v1', 'text', { text: 'Grüße "an" alle 🎈\n' })]
  const others = [entry(1, 'visitor', 'v1', 'text', { text: 'another contact' })]
  const [one, two] = [fakeConnection(), fakeConnection()]
  for (const { sink } of [one, two]) sink.push('log.entries', { contact: 'c', entries })
  one.sink.push('log.entries', { contact: 'd', entries: others })
  one.sink.push('link.arriving', {})
  const read = (packet: string): unknown => {
    let found: unknown
    const decoder = new Decoder()
    decoder.on('decoded', (decoded) => (found = decoded))
    decoder.add(packet)
    return found
  }
  const event = (...data: readonly unknown[]) => ({ type: 2, nsp: '/', data })
  expect(two.packets.map(read)).toEqual([event('log.entries', { contact: 'c', entries })])
  expect(one.packets.map(read)).toEqual([
    event('log.entries', { contact: 'c', entries }),
    event('log.entries', { contact: 'd', entries: others }),
    event('link.arriving', {}),
  ])
})

it('SND-102 what waits for a connection is counted until the kernel has taken it', () => {
  const { sink, write, flush, drain } = fakeConnection()
  write(300_000)
  expect([sink.waiting, sink.isFull()]).toEqual([300_000, true])
  flush()
  expect([sink.waiting, sink.isFull()]).toEqual([300_000, true])
  write(7)
  drain()
  expect([sink.waiting, sink.isFull()]).toEqual([7, false])
})

it('SND-303 what the kernel has taken is on its way until the page has answered the ping behind it', async () => {
  const { sink, flush, leave, drain } = fakeConnection()
  const log = Array.from({ length: 12 }, (_, index) =>
    entry(index + 1, 'visitor', 'v1', 'text', { text: 'x'.repeat(8_000) }),
  )
  const channel = new Channel({
    ...{ contact: 'c', slot: 'visitor', session: 'v2', principal: 'vera', nick: null, cursor: 0, head: 0 },
    ...{ read: async () => log, view: (entries) => entries, sink, onFault: () => {} },
  })
  channel.start()
  channel.offer(log)
  for (let count = 0; count < 20; count += 1) {
    await turn()
    flush()
    leave()
  }
  // Two entries fill the first window.
  expect(sink.waiting).toBe(0)
  expect(sink.isFull()).toBe(true)
  let delivered = false
  void channel.delivered(12).then(() => (delivered = true))
  await turn()
  expect(delivered).toBe(false)
  for (let count = 0; count < 20; count += 1) {
    drain()
    await turn()
    flush()
  }
  expect(delivered).toBe(true)
})

it('SND-102 a connection that takes nothing ends at 1 MiB, however it comes to that', () => {
  for (const size of [100, 8_192, 131_072]) {
    const { sink, write, flush } = fakeConnection()
    flush()
    for (let count = 0; sink.isOpen() && count < WAITING_LIMIT; count += 1) write(size)
    expect(sink.isOpen()).toBe(false)
    expect(sink.waiting).toBeLessThanOrEqual(WAITING_LIMIT + size)
  }
})

it('SND-102 large answers are made a few at a time, and none for a connection that takes nothing', async () => {
  const { sink, write, flush, drain } = fakeConnection()
  const turns = new AnswerQueue(sink)
  let made = 0
  const answers = Array.from({ length: 50 }, () =>
    turns.run(async () => {
      made += 1
      await turn()
      write(131_072)
    }),
  )
  for (let count = 0; count < 20; count += 1) await turn()
  expect(made).toBe(4)
  expect(sink.isOpen()).toBe(true)
  for (let count = 0; count < 100; count += 1) {
    flush()
    drain()
    await turn()
    expect(sink.waiting).toBeLessThan(WAITING_LIMIT)
  }
  await Promise.all(answers)
  expect(made).toBe(50)
})

it('SND-102 answers that are ready are handed out one by one, each when there is room: who reads slowly is never sent all at once', async () => {
  const { sink, write, flush, drain } = fakeConnection()
  const turns = new AnswerQueue(sink)
  const size = 131_072
  let handed = 0
  const answers = Array.from({ length: 12 }, async () => {
    await turns.run(turn)
    handed += 1
    write(size)
    flush()
  })
  for (let taken = 0; taken < answers.length; taken += 1) {
    for (let count = 0; count < 20; count += 1) await turn()
    expect([handed, sink.waiting]).toEqual([taken + 1, size])
    drain()
  }
  await Promise.all(answers)
})

it('SND-102 an answer that is ready when the connection goes away is not kept', async () => {
  const { sink, write, flush } = fakeConnection()
  const turns = new AnswerQueue(sink)
  const answer = turns.run(async () => {
    write(131_072)
    flush()
    await turn()
    return 'answer'
  })
  for (let count = 0; count < 5; count += 1) await turn()
  sink.cut()
  await expect(answer).resolves.toBe('answer')
})

it('SND-102 who asks for more and more and takes nothing is cut off, and nothing is made for them any more', async () => {
  const { sink, write } = fakeConnection()
  const turns = new AnswerQueue(sink)
  write(300_000)
  let made = 0
  const answers = Array.from({ length: 300 }, () =>
    turns
      .run(async () => {
        made += 1
      })
      .catch((thrown: { code: string }) => thrown.code),
  )
  expect(sink.isOpen()).toBe(false)
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['offline']))
  expect(made).toBe(0)
})

it('SND-127 frames that wait for one connection have a bound together, over all its contacts', () => {
  const { sink, write, flush } = fakeConnection()
  const hub = new Hub({
    read: () => Promise.resolve([]),
    onFault: (thrown) => {
      throw thrown
    },
  })
  const frame = (n: number): RelayFrame => ({ n, ack: 0, kind: 'signal', body: 'x'.repeat(60_000) })
  write(300_000)
  flush()
  let taken = 0
  for (let contact = 0; contact < 10; contact += 1) {
    const open = (slot: 'visitor' | 'agent', at: typeof sink) => {
      const channel = new Channel({
        ...{ contact: `c${contact}`, slot, session: slot, principal: slot, nick: null, cursor: 2, head: 2 },
        ...{ read: () => Promise.resolve([]), view: (entries) => entries, sink: at, onFault: () => {} },
      })
      hub.attach(channel, initialContactState('visitor'))
      channel.start()
      return channel
    }
    const sender = open('visitor', fakeConnection().sink)
    const receiver = open('agent', sink)
    hub.appended(`c${contact}`, [present(1, 'visitor', 'visitor'), present(2, 'agent', 'agent')])
    try {
      for (let n = 1; n <= 10; n += 1) {
        hub.relay(sender, 'agent', frame(n))
        taken += 1
      }
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'rate_limited' })
    }
    expect(receiver.isClosed).toBe(false)
  }
  expect(taken).toBeGreaterThan(5)
  expect(sink.waiting).toBeLessThanOrEqual(WAITING_LIMIT)
})

it('SND-102 SND-306 channels that lag read one after the other, each when there is room: one page at most is held for a connection', async () => {
  const { sink, write, flush, drain } = fakeConnection()
  const log = Array.from({ length: 12 }, (_, index) =>
    entry(index + 1, 'visitor', 'v1', 'text', { text: 'x'.repeat(8_000) }),
  )
  const reads = { all: 0, open: 0, most: 0 }
  const read = async (): Promise<readonly Entry[]> => {
    reads.all += 1
    reads.most = Math.max(reads.most, (reads.open += 1))
    await turn()
    reads.open -= 1
    return log
  }
  write(300_000)
  flush()
  const channels = Array.from({ length: 40 }, (_, index) => {
    const session = `a${index}`
    const channel = new Channel({
      ...{ contact: 'c', slot: 'visitor', session, principal: 'vera', nick: null, cursor: 0, head: 0 },
      ...{ read, view: (entries) => entries, sink, onFault: () => {} },
    })
    channel.start()
    channel.offer(log)
    return channel
  })
  for (let count = 0; count < 20; count += 1) await turn()
  expect([reads.all, channels.length]).toEqual([0, 40])
  let most = 0
  for (let count = 0; count < 500; count += 1) {
    drain()
    await turn()
    flush()
    most = Math.max(most, sink.waiting)
  }
  expect(reads).toEqual({ all: 40, open: 0, most: 1 })
  expect(most).toBeLessThan(3 * 131_072)
  await Promise.all(channels.map((channel) => channel.delivered(12)))
})

it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'signal'])(
  'SND-127 a frame of the kind %s has a limit',
  (kind) => {
    expect(() => checkFrame({ n: 1, ack: 0, kind, body: 'x'.repeat(120_000) })).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    )
  },
)
