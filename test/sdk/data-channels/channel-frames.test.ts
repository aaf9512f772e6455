import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DataChannel, DataMessage, JsonValue } from '../../../protocol/index.ts'
import { Channels } from '../../../sdk/data-channels/channels.ts'
import type { ChannelsOptions } from '../../../sdk/data-channels/channels.ts'
import { decodeFrame, encodeFrame, fromBase64, toBase64 } from '../../../sdk/data-channels/frames.ts'
import type { Frame } from '../../../sdk/data-channels/frames.ts'
import { Budget, InStream } from '../../../sdk/data-channels/in-stream.ts'
import { OutStream } from '../../../sdk/data-channels/out-stream.ts'
import {
  MESSAGE_BYTES,
  encodeMessage,
  encodeOpening,
  encodeRecord,
} from '../../../sdk/data-channels/records.ts'
import { Delivery } from '../../../sdk/contact/event-queue.ts'
import { TestClock, settled } from '../../../testing/index.ts'

const join = (...parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const json = (value: string): Uint8Array => encodeRecord('json', '', text(value))

/** One side's channels, and the other side played by the test. */
class Rig {
  readonly clock = new TestClock()
  readonly frames: Frame[] = []
  readonly opened: DataChannel[] = []
  readonly heard: DataMessage[] = []
  readonly channels: Channels

  constructor() {
    const log = { debug: () => {}, warn: () => {} }
    const delivery = new Delivery(log)
    delivery.start()
    delivery.handlers.on('datachannel', (channel) => void this.opened.push(channel as DataChannel))
    delivery.handlers.on('data', (message) => void this.heard.push(message as DataMessage))
    const membership = { requireInside: () => {} }
    const relay = {
      isBound: true,
      send: (_kind: string, body: JsonValue) =>
        void this.frames.push(decodeFrame(fromBase64(body) ?? new Uint8Array()) as Frame),
    }
    this.channels = new Channels({
      role: 'visitor',
      clock: this.clock,
      log,
      delivery,
      relay,
      membership,
      pipes: () => Promise.resolve(null),
    } as unknown as ChannelsOptions)
  }

  /** Bytes of a stream from the other side. */
  async say(stream: number, offset: number, bytes: Uint8Array): Promise<void> {
    this.channels.receive(toBase64(encodeFrame({ kind: 'bytes', stream, offset }, [bytes])))
    await settled()
  }

  /** Content of what was sent of a stream. */
  sent = (stream: number): Uint8Array =>
    join(
      ...this.frames
        .filter((frame) => frame.kind === 'bytes' && frame.stream === stream)
        .map(({ bytes }) => bytes),
    )
}

let rig: Rig
beforeEach(() => {
  rig = new Rig()
})

const OPEN = encodeOpening({ name: 'x' })

describe('what a hostile remote can send to data channels', () => {
  it('CHAN-6 CHAN-11 what is no frame is passed over', async () => {
    for (const body of [
      undefined,
      null,
      7,
      '',
      '!',
      'AAAA',
      {},
      [],
      toBase64(new Uint8Array(12)),
      toBase64(new Uint8Array(13).fill(255)),
    ] as const)
      rig.channels.receive(body as JsonValue)
    rig.channels.receive(toBase64(encodeFrame({ kind: 'ack', stream: 9, offset: 9 })))
    for (const offset of [-1, Number.NaN, 0.5, Infinity, 2 ** 60]) await rig.say(1, offset, OPEN)
    expect([rig.opened, rig.frames, rig.clock.pending]).toEqual([[], [], 0])
  })

  it('CHAN-1 CHAN-11 a stream that does not begin with a name makes no channel, whatever follows', async () => {
    const names = ['', 'a b', 'x'.repeat(129), '__proto__ ', 'é']
    const beginnings = [
      json('1'),
      encodeRecord('close'),
      encodeRecord('open', '', text('{')),
      encodeRecord('open', '', text('null')),
      ...names.map((name) => encodeOpening({ name })),
    ]
    for (const [stream, bytes] of beginnings.entries()) {
      await rig.say(stream, 0, bytes)
      await rig.say(stream, bytes.length, OPEN)
    }
    await rig.say(99, 5, OPEN)
    await rig.say(98, 0, encodeOpening({ name: 'x', re: 17 }))
    expect([rig.opened, rig.heard]).toEqual([[], []])
  })

  it('CHAN-2 CHAN-11 no more than 256 channels are made', async () => {
    for (let stream = 1; stream <= 600; stream++)
      rig.channels.receive(
        toBase64(encodeFrame({ kind: 'bytes', stream, offset: 0 }, [encodeOpening({ name: `n${stream}` })])),
      )
    await settled()
    expect(rig.opened.length).toBe(256)
    await expect(rig.channels.get('mine', 'sio')).rejects.toMatchObject({ code: 'too_large' })
  })

  it.each([
    ['a length over the limit', join(Uint8Array.of(1, 0, 0, 1, 1, 0))],
    ['an unknown type', join(Uint8Array.of(0, 0, 0, 0, 9, 0))],
    ['a long end', join(Uint8Array.of(0, 0, 0, 1, 3, 0))],
  ])('CHAN-7 CHAN-11 %s closes the channel', async (_what, bytes) => {
    const closes: unknown[] = []
    await rig.say(1, 0, OPEN)
    rig.opened[0]?.on('close', (event) => closes.push(event))
    await rig.say(1, OPEN.length, bytes)
    await rig.say(1, OPEN.length + bytes.length, json('1'))
    expect([rig.opened.length, rig.heard, closes]).toEqual([1, [], [{ lost: false }]])
    await expect(rig.opened[0]?.send(1)).rejects.toMatchObject({ code: 'channel_closed' })
    expect([...rig.sent(1).slice(-6)]).toEqual([...encodeRecord('close')])
  })

  it('CHAN-7 CHAN-11 messages that never end use no more memory than allowed', () => {
    const budget = new Budget(1_000)
    const [a, b] = [new InStream(budget), new InStream(budget)]
    const begun = encodeRecord('json', '', new Uint8Array(600)).slice(0, 500)
    expect([a.receive(0, begun), b.receive(0, begun)]).toEqual([[], []])
    expect(b.receive(500, new Uint8Array(60))).toBeNull()
    b.end()
    expect(a.receive(500, new Uint8Array(106))).toHaveLength(1)
    expect(MESSAGE_BYTES).toBe(16 * 1_048_576)
  })

  it('SND-306 CHAN-11 a message in tiny pieces uses no more memory than it may, and keeps no frame of which it has only little', () => {
    let copies = 0
    class Watched extends Uint8Array<ArrayBuffer> {
      override slice(): Uint8Array<ArrayBuffer> {
        copies++
        return Uint8Array.from(this)
      }
    }
    const stream = new InStream(new Budget(100 * 256))
    const record = encodeRecord('binary', '', new Uint8Array(60_000))
    const frames = Array.from({ length: 200 }, (_, index) => Watched.from(record.subarray(0, 7 + index)))
    expect([frames.findIndex((frame) => stream.receive(0, frame) === null), copies]).toEqual([100, 101])
    const large = new InStream(new Budget(100 * 256))
    large.receive(0, Watched.from(record.subarray(0, 20_000)))
    expect(copies).toBe(101)
  })

  it('CHAN-4 CHAN-11 data that is not JSON, or would pollute a prototype, is passed over; the rest is delivered', async () => {
    const hostile = [
      '{',
      '',
      'undefined',
      '{"__proto__":{"a":1}}',
      '[{"a":{"\\u005f_proto__":1}}]',
      '{"constructor":1}',
      '{"prototype":1}',
    ]
    await rig.say(
      1,
      0,
      join(
        OPEN,
        ...hostile.map(json),
        encodeRecord('json', 'no name', text('1')),
        encodeRecord('json', '', Uint8Array.of(255)),
        json('"fine"'),
        encodeOpening({ name: 'y' }),
      ),
    )
    expect([rig.heard, rig.opened.length]).toEqual([[{ channel: 'x', data: 'fine' }], 1])
  })

  it('CHAN-6 CHAN-11 an acknowledgement of what was never sent loses nothing', async () => {
    const out = new OutStream()
    out.push(new Uint8Array(100))
    out.take(40)
    out.acknowledge(1_000)
    expect([out.pending, out.take(100).offset]).toEqual([60, 40])
    out.acknowledge(10)
    expect(out.pending).toBe(60)
  })

  it('CHAN-10 what still comes of a channel that is over is acknowledged and passed over', async () => {
    const whole = join(OPEN, json('1'), encodeRecord('close'))
    await rig.say(5, 0, whole)
    rig.channels.receive(toBase64(encodeFrame({ kind: 'ack', stream: 1, offset: 1_000 })))
    await settled()
    rig.frames.length = 0
    await rig.say(5, 0, whole)
    expect([
      rig.opened.length,
      rig.heard.length,
      rig.frames.map(({ kind, stream, offset }) => [kind, stream, offset]),
    ]).toEqual([1, 1, [['ack', 5, whole.length]]])
  })

  it('CHAN-6 frames of every length, repeated and in any order after a resend, give each message once and in order', () => {
    const message = fc.oneof(fc.json(), fc.uint8Array({ maxLength: 300 }))
    const piece = fc.record({
      back: fc.nat({ max: 400 }),
      size: fc.integer({ min: 1, max: 300 }),
      ahead: fc.nat({ max: 3 }),
    })
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.array(piece, { maxLength: 60 }),
        (messages, pieces) => {
          const records = messages.map((value) => encodeMessage(value, undefined))
          const bytes = join(...records)
          const stream = new InStream(new Budget(MESSAGE_BYTES))
          const read: Uint8Array[] = []
          const receive = (offset: number, size: number): void => {
            for (const { type, topic, data } of stream.receive(
              offset,
              bytes.subarray(offset, offset + size),
            ) ?? [])
              read.push(encodeRecord(type, topic, data))
          }
          for (const { back, size, ahead } of pieces)
            receive(Math.max(0, Math.min(bytes.length, stream.received + ahead) - back), size)
          for (let at = stream.received; at < bytes.length; at = stream.received) receive(at, 97)
          expect(read.map((record) => [...record])).toEqual(records.map((record) => [...record]))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('CHAN-6 CHAN-7 what is taken, acknowledged and taken again in any pieces is what was written', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('push' as const), size: fc.nat({ max: 50 }) }),
      fc.record({ do: fc.constant('take' as const), size: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ do: fc.constant('ack' as const), size: fc.nat({ max: 400 }) }),
      fc.record({ do: fc.constant('rewind' as const), size: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const out = new OutStream()
        const written: number[] = []
        const seen: number[] = []
        for (const { do: what, size } of steps) {
          if (what === 'push')
            out.push(
              Uint8Array.from(
                { length: size },
                () => written.push(written.length % 251) && (written.length - 1) % 251,
              ),
            )
          if (what === 'ack') out.acknowledge(size)
          if (what === 'rewind') out.rewind()
          if (what !== 'take') continue
          const { offset, parts } = out.take(size)
          expect(offset).toBeLessThanOrEqual(seen.length)
          for (const [index, byte] of join(...parts).entries()) seen[offset + index] = byte
        }
        while (out.hasMore) {
          const { offset, parts } = out.take(7)
          for (const [index, byte] of join(...parts).entries()) seen[offset + index] = byte
        }
        expect(seen).toEqual(written)
      }),
      { numRuns: 200 },
    )
  })
})
