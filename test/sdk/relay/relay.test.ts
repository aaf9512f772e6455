import { beforeEach, describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { ErrorCode, RelayFrame } from '../../../protocol/index.ts'
import { SessionRelay } from '../../../sdk/relay/session-relay.ts'
import { TestClock, settled } from '../../../testing/index.ts'

/** Two relays that speak to each other over a line that a test can break. */
class Line {
  readonly heard: Record<'a' | 'b', unknown[]> = { a: [], b: [] }
  readonly lost: string[][] = []
  /** How often another session was spoken to. */
  peers = 0
  readonly sent: (RelayFrame & { readonly by: 'a' | 'b' })[] = []
  /** What becomes of a frame on its way. */
  fate: (from: 'a' | 'b', frame: RelayFrame) => 'pass' | ErrorCode | ContactError = () => 'pass'
  readonly clock = new TestClock()
  readonly a = this.#relay('a', 'b')
  readonly b = this.#relay('b', 'a')

  constructor() {
    this.a.bind('session-b')
    this.b.bind('session-a')
  }

  #relay(own: 'a' | 'b', other: 'a' | 'b'): SessionRelay {
    const relay = new SessionRelay({
      clock: this.clock,
      send: async (_to, frame) => {
        this.sent.push({ by: own, ...frame })
        await Promise.resolve()
        const fate = this.fate(own, frame)
        if (fate !== 'pass') throw typeof fate === 'string' ? new ContactError(fate, 'lost') : fate
        this[other].receive(`session-${own}`, frame)
      },
      onLost: (kinds) => this.lost.push([...kinds]),
    })
    relay.onPeer(() => void this.peers++)
    relay.on('data', (body) => this.heard[own].push(body))
    return relay
  }
}

let line: Line

beforeEach(() => {
  line = new Line()
})

describe('relay', () => {
  it('LOG-12 frames arrive in order, each once, both ways', async () => {
    for (const n of [1, 2, 3]) {
      line.a.send('data', n)
      line.b.send('data', -n)
    }
    await settled()
    expect(line.heard).toEqual({ a: [-1, -2, -3], b: [1, 2, 3] })
  })

  it('LOG-12 a frame that was lost is sent again when the next one shows the gap', async () => {
    line.fate = (_from, { n }) => (n === 2 ? 'offline' : 'pass')
    line.a.send('data', 1)
    line.a.send('data', 2)
    await settled()
    line.fate = () => 'pass'
    line.a.send('data', 3)
    await settled()
    expect(line.heard.b).toEqual([1, 2, 3])
  })

  it('LOG-12 one lost frame of many is asked for once', async () => {
    line.fate = (_from, { n }) => (n === 1 ? 'offline' : 'pass')
    for (let n = 1; n <= 100; n++) line.a.send('data', n)
    await Promise.resolve()
    line.fate = () => 'pass'
    await settled()
    expect(line.heard.b).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect(line.sent.filter(({ kind }) => kind === 'resume').length).toBe(1)
  })

  it('LOG-12 what is still missing is asked for again', async () => {
    line.fate = (from, { n }) => (n === 1 || from === 'b' ? 'timeout' : 'pass')
    for (let n = 1; n <= 10; n++) line.a.send('data', n)
    await settled()
    line.fate = () => 'pass'
    for (let n = 11; n <= 150; n++) line.a.send('data', n)
    await settled()
    expect(line.heard.b.length).toBe(150)
  })

  it.each(['a', 'b'] as const)(
    'LOG-12 what was lost is sent again when %s resumes, each once',
    async (resuming) => {
      line.fate = (from, { n }) => (from === 'a' && n >= 2 ? 'offline' : 'pass')
      for (const n of [1, 2, 3]) line.a.send('data', n)
      line.b.send('data', -1)
      await settled()
      expect(line.heard).toEqual({ a: [-1], b: [1] })
      line.fate = () => 'pass'
      line[resuming].resume()
      await settled()
      expect(line.heard).toEqual({ a: [-1], b: [1, 2, 3] })
    },
  )

  it('LOG-12 a frame that arrived though its sender does not know is not delivered again', async () => {
    const deliver = line.b.receive.bind(line.b)
    line.b.receive = (from, frame) => {
      deliver(from, frame)
      if (frame.n === 1) throw new ContactError('offline', 'the answer was lost')
    }
    line.a.send('data', 1)
    await settled()
    line.b.receive = deliver
    line.a.resume()
    await settled()
    expect(line.heard.b).toEqual([1])
  })

  it('LOG-12 what is acknowledged is not sent again', async () => {
    for (let n = 1; n <= 16; n++) line.a.send('data', n)
    await settled()
    line.sent.length = 0
    line.a.resume()
    await settled()
    expect(line.sent.map(({ n, kind }) => [n, kind])).toEqual([[0, 'resume']])
  })

  it('LOG-12 a later frame acknowledges as well', async () => {
    line.a.send('data', 1)
    await settled()
    line.b.send('data', -1)
    await settled()
    line.sent.length = 0
    line.a.resume()
    await settled()
    expect(line.sent.filter(({ by }) => by === 'a')).toEqual([{ by: 'a', n: 0, ack: 1, kind: 'resume' }])
    expect(line.heard).toEqual({ a: [-1], b: [1] })
  })

  it('LOG-12 a change of the session is told: what was under way is lost, and numbering starts anew', async () => {
    line.fate = () => 'offline'
    line.a.send('data', 1)
    line.a.send('signal', 2)
    await settled()
    line.a.bind('session-c')
    expect(line.lost).toEqual([['data', 'signal']])
    line.fate = () => 'pass'
    line.sent.length = 0
    line.a.send('data', 3)
    expect(line.sent).toEqual([{ by: 'a', n: 1, ack: 0, kind: 'data', body: 3 }])
    line.a.bind('session-c')
    line.a.bind(null)
    expect(() => line.a.send('data', 4)).toThrow(
      expect.objectContaining({ name: 'ContactError', code: 'peer_left' }),
    )
    line.a.resume()
  })

  it('LOG-13 frames of another session are passed over', () => {
    line.b.receive('session-x', { n: 1, ack: 0, kind: 'data', body: 1 })
    expect(line.heard.b).toEqual([])
  })

  it('LOG-12 at most 512 frames wait; the next gives too_large', async () => {
    line.fate = () => 'offline'
    for (let n = 1; n <= 512; n++) line.a.send('data', n)
    expect(() => line.a.send('data', 513)).toThrow(
      expect.objectContaining({ name: 'ContactError', code: 'too_large' }),
    )
    await settled()
    line.fate = () => 'pass'
    line.a.resume()
    await settled()
    expect(line.heard.b.length).toBe(512)
  })

  it('LOG-12 a frame that the service refuses for good does not hold up the others', async () => {
    line.fate = (_from, { n, kind }) => (n === 1 && kind === 'data' ? 'too_large' : 'pass')
    line.a.send('data', 'far too large')
    line.a.send('data', 2)
    await settled()
    line.a.send('data', 3)
    await settled()
    expect(line.heard.b).toEqual([2, 3])
    expect(line.lost).toEqual([['data']])
  })

  it('LOG-12 each change of the session is told once, also where nothing was under way', () => {
    line.a.bind('session-c')
    line.a.bind('session-c')
    line.a.bind(null)
    expect([line.peers, line.a.isBound, line.b.isBound]).toEqual([4, false, true])
  })

  it('LOG-12 an acknowledgement of what was never sent does not acknowledge what comes', async () => {
    line.fate = () => 'offline'
    line.a.send('data', 1)
    line.a.receive('session-b', { n: 0, ack: 99, kind: 'ack' })
    line.a.send('data', 2)
    await settled()
    line.sent.length = 0
    line.a.resume()
    expect(line.sent.map(({ n, kind }) => [n, kind])).toEqual([
      [0, 'resume'],
      [2, 'data'],
    ])
  })

  /** A service that takes `burst` frames at once and one more in 50 ms, and says when. */
  const limited = (burst: number): { refusals: number } => {
    let level = burst
    let at = 0
    const count = { refusals: 0 }
    line.fate = (from) => {
      if (from === 'b') return 'pass'
      level = Math.min(burst, level + (line.clock.now() - at) / 50)
      at = line.clock.now()
      if (level >= 1) {
        level -= 1
        return 'pass'
      }
      count.refusals++
      return new ContactError('rate_limited', 'too often', { retryAfterMs: Math.ceil((1 - level) * 50) })
    }
    return count
  }

  it('LOG-12 SRV-8 frames beyond the rate wait as long as the service says; none is lost, doubled or swapped', async () => {
    const count = limited(40)
    for (let n = 1; n <= 200; n++) line.a.send('rpc', n)
    line.b.on('rpc', (body) => line.heard.b.push(body))
    await settled()
    expect(line.heard.b).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    await line.clock.advance(50 * 170)
    expect([line.heard.b, line.lost]).toEqual([Array.from({ length: 200 }, (_, index) => index + 1), []])
    expect(count.refusals).toBeLessThan(2 * 160 + 160)
    expect(line.clock.pending).toBe(0)
  })

  it('LOG-12 a frame of another kind that overtook a refused one is put again after it', async () => {
    let refuse = true
    line.fate = (_from, { kind }) =>
      kind === 'rpc' && refuse ? new ContactError('rate_limited', 'too often') : 'pass'
    line.b.on('rpc', (body) => line.heard.b.push(body))
    line.a.send('rpc', 1)
    line.a.send('data', 2)
    await settled()
    expect(line.heard.b).toEqual([])
    refuse = false
    await line.clock.advance(499)
    expect(line.heard.b).toEqual([])
    await line.clock.advance(1)
    expect(line.heard.b).toEqual([1, 2])
  })

  it('LOG-12 LIFE-20 a pause ends with the session', async () => {
    line.fate = () => new ContactError('rate_limited', 'too often', { retryAfterMs: 5_000 })
    line.a.send('data', 1)
    await settled()
    expect(line.clock.pending).toBe(1)
    line.a.bind(null)
    expect(line.clock.pending).toBe(0)
    line.fate = () => 'pass'
    line.a.bind('session-b')
    line.a.send('data', 2)
    await settled()
    expect(line.heard.b).toEqual([2])
  })
})
