import { expect, it } from 'vitest'
import { Channels } from '../../../sdk/data-channels/channels.ts'
import type { ChannelsOptions } from '../../../sdk/data-channels/channels.ts'
import { decodeFrame, encodeFrame, fromBase64, toBase64 } from '../../../sdk/data-channels/frames.ts'
import { TestClock, settled } from '../../../testing/index.ts'

/** The channels of a page without WebRTC, and the frames that it sends. */
function channels(): { readonly of: Channels; readonly clock: TestClock; readonly sent: unknown[][] } {
  const [clock, sent] = [new TestClock(), [] as unknown[][]]
  const keep = (...frame: unknown[]): void => void sent.push(frame)
  const options = {
    clock,
    link: {},
    pipes: () => Promise.resolve(null),
    relay: { isBound: true, send: keep, trySend: keep },
  }
  return { of: new Channels(options as unknown as ChannelsOptions), clock, sent }
}

const frame = (stream: number, offset: number): string =>
  toBase64(encodeFrame({ kind: 'bytes', stream, offset }, [new Uint8Array(64).fill(255)]))

it('SND-306 signals for a direct connection that this page cannot have are answered 16 times a second at most', async () => {
  const { of, clock, sent } = channels()
  for (let second = 0; second < 5; second++) {
    for (let n = 0; n < 100; n++) {
      of.signalled({ attempt: `a${n}` })
      await settled()
    }
    expect(sent.length).toBeLessThanOrEqual(16 * (second + 1))
    await clock.advance(1_000)
  }
  expect(sent[0]).toEqual(['channel', { type: 'unable' }])
  of.end(new Error('over') as never)
  expect(clock.pending).toBe(0)
})

it('SND-306 frames of streams that are over are acknowledged 16 times a second at most, each stream up to its last frame', async () => {
  const { of, clock, sent } = channels()
  for (let stream = 1; stream <= 20; stream++) of.receive(frame(stream, 0))
  expect(sent).toEqual([])
  for (let offset = 64; offset <= 64_000; offset += 64)
    for (let stream = 1; stream <= 20; stream++) of.receive(frame(stream, offset))
  expect(sent.length).toBeLessThanOrEqual(16)
  await clock.advance(1_000)
  expect(sent.length).toBeLessThanOrEqual(32)
  await clock.advance(5_000)
  const acknowledged = new Map<unknown, unknown>()
  for (const [, body] of sent) {
    const { stream, offset, kind } = decodeFrame(fromBase64(body as string) as Uint8Array) ?? {}
    expect(kind).toBe('ack')
    acknowledged.set(stream, offset)
  }
  expect([...acknowledged.values()]).toEqual(Array.from({ length: 20 }, () => 64_064))
  expect(sent.length).toBeLessThanOrEqual(48)
  expect(clock.pending).toBe(0)
})
