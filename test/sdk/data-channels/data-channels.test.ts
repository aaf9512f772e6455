import { describe, expect, it } from 'vitest'
import type { DataMessage } from '../../../protocol/index.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import { KIB, MIB, code, heard, noise, opened, pairOf, rest } from '../../support/channels.ts'

/** A test for each way that data can go. */
const ways = [
  ['webrtc', ''],
  ['sio', 'sio'],
] as const

describe('data channels', () => {
  it.each(ways)(
    'CHAN-1 CHAN-4 the remote learns a new channel, and data goes both ways (%s)',
    async (way, type) => {
      const test = await createTestContact()
      const told: DataMessage[] = []
      test.agent.on('data', (event) => void told.push(event))
      const { here, there } = await pairOf(test, type)
      const [mine, theirs] = [heard(here), heard(there)]
      await here.send({ n: 1, list: [null, true, 'é😀'] })
      await there.send('back')
      await settled()
      expect([here.id, here.type, there.id, there.type]).toEqual(['x', way, 'x', way])
      expect(theirs).toEqual([{ n: 1, list: [null, true, 'é😀'] }])
      expect(told).toEqual([{ channel: 'x', data: { n: 1, list: [null, true, 'é😀'] } }])
      expect(mine).toEqual(['back'])
    },
  )

  it.each(ways)('CHAN-4 bytes arrive as an ArrayBuffer of just these bytes (%s)', async (_way, type) => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test, type)
    const theirs = heard(there)
    const bytes = noise(1_000)
    await here.send(bytes.subarray(100, 200))
    await here.send(bytes.buffer as ArrayBuffer)
    await here.send(new Uint8Array())
    bytes.fill(0)
    await settled()
    expect(theirs.map((data) => (data instanceof ArrayBuffer ? [...new Uint8Array(data)] : data))).toEqual([
      [...noise(1_000).subarray(100, 200)],
      [...noise(1_000)],
      [],
    ])
  })

  it('CHAN-1 CHAN-3 sendData makes the channel; data that comes with it misses no handler of datachannel', async () => {
    const test = await createTestContact()
    const theirs: unknown[] = []
    test.agent.on('datachannel', (channel) => channel.on('data', ({ data }) => theirs.push(data)))
    const mine = opened(test.visitor)
    await Promise.all([
      test.visitor.sendData('x', 1),
      test.visitor.sendData('x', 2),
      test.visitor.sendData('y', 3, undefined, 'sio'),
    ])
    await settled()
    expect(new Set(theirs)).toEqual(new Set([1, 2, 3]))
    expect(Object.fromEntries(mine.map(({ id, type }) => [id, type]))).toEqual({ x: 'webrtc', y: 'sio' })
  })

  it('CHAN-4 NS-3 data with a topic becomes the event of that name, on the channel and on the contact', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test)
    const [data, moved] = [heard(there), heard(there, 'moved')]
    const told: unknown[] = []
    test.agent.on('moved', (event, callback) => told.push([event, callback(null, 'nothing')]))
    await here.send({ x: 3 }, 'moved')
    await settled()
    expect([data, moved, told]).toEqual([
      [],
      [{ x: 3 }],
      [[{ channel: 'x', topic: 'moved', data: { x: 3 } }, undefined]],
    ])
  })

  it.each(['joined', 'cleared', 'mediaoffer', 'close', 'text', 'datachannel'])(
    'NS-1 a topic %s is data, and never reaches the handlers of that event',
    async (topic) => {
      const test = await createTestContact()
      const { here, there } = await pairOf(test)
      const [data, wrong] = [heard(there), heard(there, topic)]
      const told: unknown[] = []
      test.agent.on('data', (event) => told.push(event))
      test.agent.on(topic as 'text', () => wrong.push('contact'))
      await here.send(1, topic)
      await settled()
      expect([data, wrong, told]).toEqual([[1], [], [{ channel: 'x', topic, data: 1 }]])
    },
  )

  it('CHAN-2 one channel a name, however many ask for it, from both sides at once', async () => {
    const test = await createTestContact()
    const told = { visitor: opened(test.visitor), agent: opened(test.agent) }
    const [a, b, c, d] = await Promise.all([
      test.visitor.getDataChannel('x'),
      test.visitor.getDataChannel('x'),
      test.agent.getDataChannel('x'),
      test.agent.getDataChannel('x'),
    ])
    await rest(test)
    expect([a === b, c === d, told.visitor, told.agent]).toEqual([true, true, [a], [c]])
    const theirs = heard(c)
    await a.send('one')
    await settled()
    expect([theirs, a.type, c.type, await test.agent.getDataChannel('x')]).toEqual([
      ['one'],
      'webrtc',
      'webrtc',
      c,
    ])
  })

  it('CHAN-2 CHAN-5 the relay wins where one side wants it and the other does not, at once or later', async () => {
    const test = await createTestContact()
    const [a, b] = await Promise.all([
      test.visitor.getDataChannel('x'),
      test.agent.getDataChannel('x', 'sio'),
    ])
    await rest(test)
    expect([a.type, b.type]).toEqual(['sio', 'sio'])
    const { here, there } = await pairOf(test, '', 'later')
    const theirs = heard(there)
    for (let n = 0; n < 20; n++) void here.send(n)
    expect([here.type, await test.visitor.getDataChannel('later', 'sio')]).toEqual(['webrtc', here])
    await rest(test)
    expect([here.type, there.type, theirs]).toEqual(['sio', 'sio', Array.from({ length: 20 }, (_, n) => n)])
  })

  it.each(['visitor', 'agent'] as const)(
    'CHAN-5 a %s without WebRTC is told at once: the channel is relayed',
    async (slot) => {
      const test = await createTestContact()
      test.pipes.state[slot] = 'missing'
      const { here, there } = await pairOf(test)
      const theirs = heard(there)
      await here.send('over the relay')
      await settled()
      expect([here.type, there.type, theirs, test.clock.now()]).toEqual(['sio', 'sio', ['over the relay'], 0])
    },
  )

  it('CHAN-7 a message of 2 MiB arrives whole, in pieces that the service takes', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test, 'sio')
    const theirs = heard(there)
    const sizes: number[] = []
    test.link.faults = {
      onMessage: (_party, name, body) =>
        name === 'relay.send'
          ? (sizes.push(JSON.stringify((body as { frame: object }).frame).length), 'pass')
          : 'pass',
    }
    await here.send(noise(2 * MIB))
    await rest(test)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384)
    expect(
      theirs.length === 1 && Buffer.from(theirs[0] as ArrayBuffer).equals(Buffer.from(noise(2 * MIB))),
    ).toBe(true)
  })

  it('CHAN-7 a message may have 16 MiB and no more', async () => {
    const test = await createTestContact()
    const { here, there } = await pairOf(test)
    const theirs = heard(there)
    expect(await code(here.send(new Uint8Array(16 * MIB + 1)))).toBe('too_large')
    const sent = here.send(new Uint8Array(16 * MIB))
    await rest(test)
    expect([await code(sent), theirs.map((data) => (data as ArrayBuffer).byteLength)]).toEqual([
      'done',
      [16 * MIB],
    ])
  })

  it('CHAN-9 a channel needs no engine, no device and no medium', async () => {
    const test = await createTestContact({ engines: () => [] })
    const { here } = await pairOf(test)
    expect([here.type, test.visitor.mediaState, Object.keys(await test.visitor.getMedia())]).toEqual([
      'webrtc',
      'idle',
      ['Sharing', 'Chat'],
    ])
  })

  it.each(ways)(
    'CHAN-10 close comes after what was sent; both sides are told once, and sending gives channel_closed (%s)',
    async (_way, type) => {
      const test = await createTestContact()
      const { here, there } = await pairOf(test, type)
      const [theirs, closes] = [heard(there), [] as unknown[]]
      for (const channel of [here, there])
        channel.on('close', (event) =>
          closes.push([channel === here ? 'here' : 'there', event, theirs.length]),
        )
      const sent = [here.send(noise(300 * KIB)), here.send('last')]
      here.close()
      here.close()
      expect(await code(here.send('late'))).toBe('channel_closed')
      await rest(test)
      there.close()
      expect([theirs.length, theirs[1], await Promise.all(sent), closes]).toEqual([
        2,
        'last',
        [undefined, undefined],
        [
          ['here', { lost: false }, 0],
          ['there', { lost: false }, 2],
        ],
      ])
      expect([await code(there.send('late')), test.clock.pending]).toEqual(['channel_closed', 0])
    },
  )

  it('CHAN-10 after a close the name can be used again, at once and from both sides', async () => {
    const test = await createTestContact()
    const told = opened(test.agent)
    const heardThere: unknown[] = []
    test.agent.on('data', ({ data }) => void heardThere.push(data))
    for (let round = 0; round < 5; round++) {
      const channel = await test.visitor.getDataChannel('x', round % 2 === 0 ? '' : 'sio')
      void channel.send(round)
      if (round === 2) void test.agent.getDataChannel('x')
      channel.close()
    }
    await rest(test)
    expect(new Set(heardThere)).toEqual(new Set([0, 1, 2, 3, 4]))
    expect(heardThere.length).toBe(5)
    expect(told.length).toBeGreaterThanOrEqual(5)
    const [a, b] = await Promise.all([test.visitor.getDataChannel('x'), test.agent.getDataChannel('x')])
    const theirs = heard(b)
    await a.send('new')
    await rest(test)
    expect([theirs, test.clock.pending]).toEqual([['new'], 0])
  })

  it('CHAN-1 CHAN-3 ERR-1 what cannot be named or sent gives invalid_argument', async () => {
    const { visitor } = await createTestContact()
    const cycle: unknown[] = []
    cycle.push(cycle)
    const asked = [
      visitor.getDataChannel(''),
      visitor.getDataChannel('a b'),
      visitor.getDataChannel(7 as never),
      visitor.getDataChannel('x', 'udp' as never),
      visitor.sendData('x', undefined as never),
      visitor.sendData('x', (() => {}) as never),
      visitor.sendData('x', cycle as never),
      visitor.sendData('x', 1n as never),
      visitor.sendData('x', 1, ''),
      visitor.sendData('x', 1, 'a b'),
      visitor.sendData('x', JSON.parse('{"a":[{"__proto__":1}]}')),
      visitor.sendData('x', { constructor: 1 } as never),
    ]
    expect(await Promise.all(asked.map(code))).toEqual(asked.map(() => 'invalid_argument'))
    expect(await code(visitor.sendData('x', 'the word constructor: "__proto__"'))).toBe('done')
  })
})
