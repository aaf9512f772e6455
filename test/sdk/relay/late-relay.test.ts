import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContactError, deferred } from '../../../protocol/index.ts'
import type { Deferred, RelayFrame } from '../../../protocol/index.ts'
import { later } from '../../../sdk/contact/lazy-modules.ts'
import { LateRelay } from '../../../sdk/relay/late-relay.ts'
import { TestClock, settled } from '../../../testing/test-clock.ts'
import { silentLog } from '../../../sdk/client/silent-log.ts'

const loaded = await later.relay()

let coming: Deferred
let asks = 0

function late() {
  const clock = new TestClock()
  const [sent, lost, got] = [[] as [string, RelayFrame][], [] as string[], [] as unknown[]]
  const over = new AbortController()
  const relay = new LateRelay({
    ...{ clock, log: silentLog, over: over.signal },
    send: async (to, frame) => void sent.push([to, frame]),
    onLost: (kinds) => void lost.push(...kinds),
  })
  relay.on('data', (body) => got.push(body))
  return { clock, relay, sent, lost, got }
}

const bodies = (sent: readonly [string, RelayFrame][]): unknown[] =>
  sent.map(([to, { n, kind, body }]) => [to, n, kind, body])
const codeOf = (run: () => void): unknown => {
  try {
    run()
  } catch (thrown) {
    return thrown instanceof ContactError ? thrown.code : thrown
  }
  return null
}

beforeEach(() => {
  asks = 0
  coming = deferred()
  vi.spyOn(later, 'relay').mockImplementation(async () => {
    asks++
    await coming.promise
    return loaded
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

async function come(): Promise<void> {
  coming.resolve()
  await settled()
}

describe('a relay whose code is not there yet', () => {
  it('PKG-18 whom it speaks to is known without its code, and told', () => {
    const { relay } = late()
    const told: unknown[] = []
    relay.onPeer((peer, before) => told.push([peer, before]))
    for (const peer of ['one', 'one', 'two', null]) relay.bind(peer)
    expect(told).toEqual([
      ['one', null],
      ['two', 'one'],
      [null, 'two'],
    ])
    relay.bind('three')
    relay.receive('two', { n: 1, ack: 0, kind: 'data', body: 'of another' })
    relay.bind(null)
    expect([relay.isBound, asks]).toEqual([false, 0])
  })

  it('PKG-18 frames of both sides wait, and go in order when it is there', async () => {
    const { relay, sent, got } = late()
    relay.bind('one')
    relay.send('data', 'a')
    relay.receive('one', { n: 1, ack: 0, kind: 'data', body: 'x' })
    relay.trySend('data', 'b')
    relay.receive('another', { n: 1, ack: 0, kind: 'data', body: 'theirs' })
    relay.receive('one', { n: 2, ack: 0, kind: 'data', body: 'y' })
    await settled()
    expect([sent, got, asks]).toEqual([[], [], 1])
    await come()
    expect(got).toEqual(['x', 'y'])
    relay.send('data', 'c')
    expect(bodies(sent)).toEqual([
      ['one', 1, 'data', 'a'],
      ['one', 2, 'data', 'b'],
      ['one', 3, 'data', 'c'],
    ])
  })

  it('PKG-18 that somebody was writing is not told after its time', async () => {
    const { clock, relay, sent } = late()
    relay.bind('one')
    relay.send('iswriting', {})
    relay.send('data', 'a')
    await clock.advance(3_000)
    await come()
    expect(bodies(sent)).toEqual([['one', 1, 'data', 'a']])
  })

  it('PKG-18 what waits for one session is lost with it, and no other gets it', async () => {
    const { relay, sent, lost, got } = late()
    relay.bind('one')
    relay.send('data', 'a')
    relay.receive('one', { n: 1, ack: 0, kind: 'data', body: 'x' })
    relay.bind('two')
    expect(lost).toEqual(['data'])
    relay.send('data', 'b')
    await come()
    expect(bodies(sent)).toEqual([['two', 1, 'data', 'b']])
    expect(got).toEqual([])
  })

  it('PKG-18 what cannot be sent is refused at once, as with its code', () => {
    const { relay, lost } = late()
    expect(codeOf(() => relay.send('data', 'a'))).toBe('peer_left')
    relay.trySend('data', 'a')
    expect(lost).toEqual(['data'])
    relay.bind('one')
    const large = 'x'.repeat(131_072)
    expect([codeOf(() => relay.send('data', large)), codeOf(() => relay.trySend('data', large))]).toEqual([
      'too_large',
      'too_large',
    ])
    relay.send('data', 'a', 1)
    expect(codeOf(() => relay.send('data', 'b', 1))).toBe('too_large')
  })

  it('PKG-18 after a reconnection the other side is asked what was missed', async () => {
    const { relay, sent } = late()
    relay.resume()
    expect(asks).toBe(0)
    relay.bind('one')
    relay.resume()
    await come()
    expect(sent).toEqual([['one', { n: 0, ack: 0, kind: 'resume' }]])
  })

  it('PKG-18 a closed one sends nothing, with or without its code', async () => {
    const { relay, sent, lost } = late()
    relay.bind('one')
    relay.send('data', 'a')
    relay.close(new ContactError('tampered', 'unable to go on'))
    await come()
    relay.bind('two')
    expect([codeOf(() => relay.send('data', 'b')), relay.isBound, sent, lost]).toEqual([
      'tampered',
      false,
      [],
      ['data'],
    ])
  })

  it('PKG-18 code that did not come is asked for again, and what waits goes then', async () => {
    const { clock, relay, sent } = late()
    relay.bind('one')
    relay.send('data', 'a')
    coming.reject(new Error('no network'))
    await settled()
    expect([asks, sent]).toEqual([1, []])
    coming = deferred()
    coming.resolve()
    await clock.advance(2_000)
    await settled()
    expect([asks, bodies(sent)]).toEqual([2, [['one', 1, 'data', 'a']]])
  })
})
