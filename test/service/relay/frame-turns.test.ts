import { expect, it } from 'vitest'
import type { Entry } from '../../../protocol/index.ts'
import { AnswerQueue } from '../../../service/src/connections/answer-queue.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { entry } from '../../support/entries.ts'
import { fakeConnection } from '../../support/fake-connection.ts'

const turn = () => new Promise((settle) => setImmediate(settle))

/** A connection of an agent that is full, and its open contacts. */
function fullConnection() {
  const { sink, write, flush, drain } = fakeConnection()
  const received: string[] = []
  let n = 0
  const open = (contact: string) => {
    const log: Entry[] = []
    const channel = new Channel({
      ...{
        contact,
        slot: 'agent',
        session: `${contact}-a`,
        principal: 'ann',
        nick: null,
        cursor: 0,
        head: 0,
      },
      ...{ read: async ({ after }) => log.slice(after), view: (entries) => entries, onFault: () => {} },
      sink: new Proxy(sink, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target)
          if (typeof value !== 'function') return value
          return (...args: unknown[]) => {
            if (key === 'push') received.push(`${contact} ${args[0] as string}`)
            return Reflect.apply(value, target, args)
          }
        },
      }),
    })
    channel.start()
    return {
      frame: (bytes: number) =>
        channel.pass({ n: (n += 1), ack: 0, kind: 'channel', body: 'x'.repeat(bytes) }, `${contact}-v`, 0),
      text: (bytes = 10) => {
        log.push(entry(log.length + 1, 'visitor', `${contact}-v`, 'text', { text: 'x'.repeat(bytes) }))
        channel.offer(log.slice(-1))
      },
    }
  }
  /** The line takes what was written. */
  const take = async (): Promise<void> => {
    flush()
    drain()
    for (let count = 0; count < 8; count += 1) await turn()
  }
  write(150_000)
  flush()
  return { sink, received, open, write, take }
}

it('SND-306 relay frames that wait to the brim do not cut the connection when other packets are written', () => {
  const { sink, open, write } = fullConnection()
  const hostile = open('hostile')
  for (const bytes of [60_000, 8_000, 1_000, 100, 1]) while (hostile.frame(bytes));
  for (let count = 0; count < 20; count += 1) write(1_000)
  expect(sink.isOpen()).toBe(true)
})

it('SND-306 an entry of another contact and a large answer are sent before the relay frames that wait', async () => {
  const { sink, received, open, take } = fullConnection()
  const [hostile, honest] = [open('hostile'), open('honest')]
  const refill = (): void => {
    while (hostile.frame(60_000));
  }
  refill()
  honest.text()
  let answered = false
  void new AnswerQueue(sink).run(turn).then(() => (answered = true))
  for (let count = 0; count < 2; count += 1) {
    await take()
    refill()
  }
  expect(answered).toBe(true)
  expect(received.slice(0, 1)).toEqual(['honest log.entries'])
  for (let count = 0; count < 5; count += 1) await take()
  expect(received.filter((push) => push === 'hostile relay.frame').length).toBeGreaterThan(3)
})

it('SND-306 large answers do not wait longer than one frame each while a visitor sends frames without end', async () => {
  const { sink, open, write, take } = fullConnection()
  const hostile = open('hostile')
  const answers = new AnswerQueue(sink)
  let answered = 0
  const refill = (): void => {
    while (hostile.frame(60_000));
  }
  refill()
  for (let count = 0; count < 6; count += 1)
    void answers.run(turn).then(() => {
      answered += 1
      write(20_000)
    })
  for (let count = 0; count < 24; count += 1) {
    await take()
    refill()
  }
  expect(answered).toBe(6)
})

it('SND-306 one contact whose frames wait leaves room for the frames of others, and they take turns', async () => {
  const { received, open, take } = fullConnection()
  const [first, second, third] = [open('first'), open('second'), open('third')]
  while (first.frame(60_000));
  expect([second.frame(60_000), second.frame(60_000), third.frame(60_000)]).toEqual([true, true, true])
  for (let count = 0; count < 12; count += 1) await take()
  const order = received.map((push) => push.split(' ')[0])
  expect(order.slice(0, 5)).toEqual(['first', 'second', 'third', 'first', 'second'])
})

it('SND-306 relay frames still arrive while the entries of another contact always wait for the connection', async () => {
  const { received, open, take } = fullConnection()
  const [busy, calling] = [open('busy'), open('calling')]
  for (let count = 0; count < 4; count += 1) busy.text(8_000)
  calling.frame(1_000)
  for (let count = 0; count < 12; count += 1) {
    busy.text(8_000)
    busy.text(8_000)
    await take()
  }
  expect(received.includes('calling relay.frame')).toBe(true)
})
