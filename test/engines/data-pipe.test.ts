import { deepEqual } from 'node:assert/strict'
import { afterEach, describe, expect, it } from 'vitest'
import { webRtcPipes } from '../../engines/index.ts'
import type { DataPipe } from '../../engines/index.ts'
import { otherSlot } from '../../protocol/index.ts'
import type { JsonValue, Slot } from '../../protocol/index.ts'
import { TestClock, settled } from '../../testing/test-clock.ts'
import { FaultyNetwork } from '../support/faulty-network.ts'
import { countingImplementation, until } from '../support/node-media.ts'

/** Two pipes over Node's WebRTC, with a relay between them. */
class PipePair {
  readonly clock = new TestClock()
  readonly counted = countingImplementation()
  readonly network = new FaultyNetwork(this.counted.wrtc)
  readonly told: Record<Slot, string[]> = { visitor: [], agent: [] }
  readonly heard: Record<Slot, number[][]> = { visitor: [], agent: [] }
  readonly signals: JsonValue[] = []
  readonly pipes: Record<Slot, DataPipe> = { visitor: this.#make('visitor'), agent: this.#make('agent') }
  serverFetches = 0
  /** What goes over the relay is lost. */
  isDeaf = false
  /** Changes what goes over the relay. */
  rewrite = (json: string): string => json

  both = (holds: (slot: Slot) => boolean): boolean => holds('visitor') && holds('agent')

  #make(slot: Slot): DataPipe {
    const make = webRtcPipes({ wrtc: this.network.wrtc })
    if (!make) throw new Error('there is no WebRTC')
    const signal = (data: JsonValue): void => {
      this.signals.push(data)
      const copy = JSON.parse(this.rewrite(JSON.stringify(data))) as JsonValue
      setImmediate(() => this.isDeaf || this.pipes[otherSlot(slot)].receive(copy))
    }
    const iceServers = async () => (this.serverFetches++, [])
    return make(
      { slot, clock: this.clock, signal, iceServers },
      {
        opened: () => this.told[slot].push('opened'),
        closed: () => this.told[slot].push('closed'),
        drained: () => this.told[slot].push('drained'),
        message: (bytes) => this.heard[slot].push([...bytes]),
      },
    )
  }

  end(): void {
    this.pipes.visitor.close()
    this.pipes.agent.close()
  }
}

let pair: PipePair
afterEach(() => {
  pair.end()
  deepEqual(pair.counted.open(), 0)
})

const opened = async (slot: Slot): Promise<void> => {
  pair = new PipePair()
  pair.pipes[slot].connect()
  await until('both are open', () => pair.both((one) => pair.pipes[one].isOpen))
}

describe('the direct connection of data channels', () => {
  it.each(['visitor', 'agent'] as const)(
    'CHAN-5 CHAN-9 the %s connects, the other side takes part by itself, and bytes go both ways in order',
    async (slot) => {
      await opened(slot)
      for (let n = 0; n < 20; n++)
        for (const one of ['visitor', 'agent'] as const) pair.pipes[one].send(Uint8Array.of(n, one.length))
      await until('everything', () => pair.both((one) => pair.heard[one].length === 20))
      expect(pair.heard.agent).toEqual(Array.from({ length: 20 }, (_, n) => [n, 7]))
      expect(pair.heard.visitor).toEqual(Array.from({ length: 20 }, (_, n) => [n, 5]))
      expect([
        pair.told,
        pair.serverFetches,
        pair.counted.made.length,
        pair.pipes.visitor.frameBytes,
      ]).toEqual([{ visitor: ['opened'], agent: ['opened'] }, 2, 2, 65_536])
      expect(pair.counted.made.flatMap((connection) => connection.getTransceivers())).toEqual([])
    },
  )

  it('SND-306 a remote that takes messages of a few bytes only is not connected with', async () => {
    pair = new PipePair()
    pair.rewrite = (json) => json.replace(/max-message-size:\d+/, 'max-message-size:64')
    pair.pipes.visitor.connect()
    await until('one side has given up', () => !pair.both((slot) => pair.told[slot].length === 0))
    expect([...pair.told.visitor, ...pair.told.agent]).not.toContain('opened')
  })

  it('CHAN-6 a close is told to the other side only, and a new connection can be made', async () => {
    await opened('visitor')
    pair.pipes.agent.close()
    pair.pipes.agent.close()
    await until('the visitor knows', () => pair.told.visitor.includes('closed'))
    expect([pair.told, pair.counted.open(), pair.pipes.visitor.isOpen]).toEqual([
      { visitor: ['opened', 'closed'], agent: ['opened'] },
      0,
      false,
    ])
    expect(() => pair.pipes.visitor.send(Uint8Array.of(1))).toThrow('no connection')
    pair.pipes.agent.connect()
    await until('both are open again', () => pair.both((slot) => pair.pipes[slot].isOpen))
    expect(pair.told).toEqual({ visitor: ['opened', 'closed', 'opened'], agent: ['opened', 'opened'] })
  })

  it('CHAN-6 a network that is gone closes it on both sides, once', async () => {
    await opened('visitor')
    pair.network.cut('disconnected')
    await until('both know', () => pair.both((slot) => pair.told[slot].includes('closed')))
    expect([pair.told, pair.counted.open()]).toEqual([
      { visitor: ['opened', 'closed'], agent: ['opened', 'closed'] },
      0,
    ])
  })

  it('CHAN-5 where it is asked for by both sides at once, one connection is made', async () => {
    pair = new PipePair()
    pair.pipes.visitor.connect()
    pair.pipes.agent.connect()
    await until('both are open', () => pair.both((slot) => pair.pipes[slot].isOpen))
    expect([pair.told, pair.counted.open()]).toEqual([{ visitor: ['opened'], agent: ['opened'] }, 2])
  })

  it('CHAN-6 an attempt that is closed before it is open leaves nothing and tells nothing', async () => {
    pair = new PipePair()
    pair.isDeaf = true
    pair.pipes.visitor.connect()
    await until('there is an offer', () => pair.signals.length > 0)
    pair.pipes.visitor.close()
    expect([pair.counted.open(), pair.told]).toEqual([0, { visitor: [], agent: [] }])
  })

  it('CHAN-11 what is no signal, of no attempt or out of place is passed over', async () => {
    await opened('visitor')
    const stray = {
      attempt: 'x-1',
      peer: { type: 'candidate', candidate: { candidate: 'candidate:1', sdpMid: '0', sdpMLineIndex: 0 } },
    }
    for (const signal of [
      null,
      7,
      'x',
      {},
      { type: 'bye' },
      { attempt: 'x-1', type: 'bye' },
      stray,
      { attempt: 'x-1', peer: { type: 'answer', sdp: 'v=0' } },
    ] as JsonValue[])
      for (const slot of ['visitor', 'agent'] as const) pair.pipes[slot].receive(signal)
    pair.pipes.visitor.receive({ attempt: 'x-2', peer: { type: 'offer', sdp: 'v=0\r\n' } })
    pair.pipes.visitor.send(Uint8Array.of(1))
    await until('it still works', () => pair.heard.agent.length === 1)
    expect(pair.told).toEqual({ visitor: ['opened'], agent: ['opened'] })
  })

  it.each(['offer', 'want'] as const)(
    'SND-306 a remote that makes it begin again and again by %s costs a bounded number of attempts, then eight a second',
    async (kind) => {
      pair = new PipePair()
      pair.isDeaf = true
      const { visitor, agent } = pair.pipes
      const offered = (): string[] =>
        (pair.signals as { attempt: string; peer?: { type: string } }[]).flatMap(({ attempt, peer }) =>
          peer?.type === 'offer' ? [attempt] : [],
        )
      const begin = async (n: number): Promise<void> => {
        if (kind === 'offer') agent.receive({ attempt: `a${n}`, peer: { type: 'offer', sdp: 'v=0\r\n' } })
        else {
          visitor.receive({ type: 'want' })
          await until('each attempt has made its offer', () => offered().length === pair.serverFetches)
          visitor.receive({ attempt: offered().at(-1) ?? '', type: 'bye' })
        }
        await settled()
      }
      for (let n = 0; n < 100; n++) await begin(n)
      const atOnce = pair.serverFetches
      await pair.clock.advance(1_000)
      for (let n = 100; n < 120; n++) await begin(n)
      expect([atOnce, pair.serverFetches]).toEqual([64, 72])
    },
  )

  it('CHAN-5 without WebRTC there is no pipe', () => {
    pair = new PipePair()
    expect(webRtcPipes()).toBeNull()
  })
})
