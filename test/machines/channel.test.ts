import { beforeEach, describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import { channelMachine } from '../../machines/index.ts'
import type { ChannelActor, ChannelEmitted, ChannelEvent } from '../../machines/index.ts'
import { machineClock } from '../../sdk/client/clock.ts'
import { TestClock } from '../../testing/index.ts'

let clock: TestClock
let channel: ChannelActor
let told: ChannelEmitted[]

const state = (): string => JSON.stringify(channel.getSnapshot().value).replaceAll(/[{}"]/g, '')

function tell(...types: readonly ChannelEvent['type'][]): string {
  for (const type of types) if (channel.getSnapshot().status === 'active') channel.send({ type })
  return state()
}

beforeEach(() => {
  clock = new TestClock()
  told = []
  channel = createActor(channelMachine, { clock: machineClock(clock), input: { name: 'x' } })
  channel.on('*', (emitted) => void told.push(emitted))
  channel.start()
})

const EVENTS = [
  'pipe.opened',
  'pipe.closed',
  'remote.relayed',
  'channel.relay',
  'channel.close',
  'remote.closed',
  'streams.ended',
  'session.ended',
] as const

/** Where each event leads, by the events that lead to the state; `-`: it stays. */
const TABLE: readonly (readonly [string, readonly ChannelEvent['type'][], readonly string[]])[] = [
  [
    'opening',
    [],
    ['open:direct', 'open:relayed', 'open:relayed', 'open:relayed', 'closed', '-', '-', 'closed'],
  ],
  [
    'open:direct',
    ['pipe.opened'],
    ['-', 'open:relayed', 'open:relayed', 'open:relayed', 'closing:direct', 'closing:direct', '-', 'closed'],
  ],
  [
    'open:relayed',
    ['pipe.closed'],
    ['-', '-', '-', '-', 'closing:relayed', 'closing:relayed', '-', 'closed'],
  ],
  [
    'closing:direct',
    ['pipe.opened', 'channel.close'],
    ['-', 'closing:relayed', 'closing:relayed', '-', '-', '-', 'closed', 'closed'],
  ],
  ['closing:relayed', ['pipe.closed', 'remote.closed'], ['-', '-', '-', '-', '-', '-', 'closed', 'closed']],
]

describe('the channel machine', () => {
  it.each(
    TABLE.flatMap(([from, path, targets]) =>
      EVENTS.map((event, index) => [from, event, targets[index] ?? '', path] as const),
    ),
  )('CHAN-6 CHAN-10 in %s, %s leads to %s', (from, event, target, path) => {
    expect(tell(...path)).toBe(from)
    expect(tell(event)).toBe(target === '-' ? from : target)
  })

  it('CHAN-6 after 5 s without a direct connection it is open over the relay, and late', async () => {
    await clock.advance(4_999)
    expect(state()).toBe('opening')
    await clock.advance(1)
    expect([state(), told, clock.pending]).toEqual(['open:relayed', [{ type: 'opened', late: true }], 0])
  })

  it('CHAN-6 a direct connection takes the time limit away; a change of the way is told once', async () => {
    tell('pipe.opened')
    await clock.advance(10_000)
    tell('pipe.closed', 'remote.relayed', 'channel.relay')
    expect([state(), told]).toEqual(['open:relayed', [{ type: 'opened', late: false }, { type: 'moved' }]])
  })

  it.each([
    [['channel.close'], { by: 'local', flushes: false }],
    [['session.ended'], { by: 'session', flushes: false }],
    [['pipe.opened', 'channel.close'], { by: 'local', flushes: true }],
    [['pipe.closed', 'remote.closed'], { by: 'remote', flushes: true }],
    [['pipe.opened', 'session.ended'], { by: 'session', flushes: false }],
  ] as const)('CHAN-10 the end is told once: %j', (path, closed) => {
    tell(...path)
    tell('channel.close', 'remote.closed', 'streams.ended', 'session.ended')
    expect([state(), told.filter(({ type }) => type === 'closed'), clock.pending]).toEqual([
      'closed',
      [{ type: 'closed', ...closed }],
      0,
    ])
  })
})
