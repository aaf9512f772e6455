import { beforeEach, describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import { requestMachine } from '../../machines/index.ts'
import type { RequestActor, RequestEmitted, RequestEvent, RequestInput } from '../../machines/index.ts'
import { machineClock } from '../../sdk/client/clock.ts'
import { TestClock } from '../../testing/index.ts'

let clock: TestClock
let request: RequestActor
let told: RequestEmitted[]

const start = (input: RequestInput): void => {
  request = createActor(requestMachine, { clock: machineClock(clock), input })
  request.on('*', (emitted) => void told.push(emitted))
  request.start()
}
const state = (): string => JSON.stringify(request.getSnapshot().value).replaceAll(/[{}"]/g, '')
const asks = (): number => told.filter(({ type }) => type === 'request.ask').length
const ended = (): unknown =>
  told.flatMap((emitted) => (emitted.type === 'request.settled' ? [emitted.outcome] : []))[0]

const RECEIVED: RequestEvent = { type: 'remote.received' }
const ANSWERED: RequestEvent = { type: 'remote.answered', answer: { ok: true, result: 7 } }
const FAILED: RequestEvent = {
  type: 'remote.answered',
  answer: { ok: false, error: { code: 'own' }, isError: false },
}
const REFUSED: RequestEvent = { type: 'request.refused', code: 'not_supported' }
const CHANGED: RequestEvent = { type: 'peer.changed' }
const GONE: RequestEvent = { type: 'peer.left' }
const LEFT: RequestEvent = { type: 'contact.left' }

const WAYS: Readonly<Record<string, readonly RequestEvent[]>> = {
  'asking:sent': [],
  'asking:received': [RECEIVED],
  settled: [ANSWERED],
}

beforeEach(() => {
  clock = new TestClock()
  told = []
})

describe('the request machine', () => {
  it.each([
    ['asking:sent', RECEIVED, 'asking:received', 1, undefined],
    ['asking:sent', ANSWERED, 'settled', 1, { ok: true, result: 7 }],
    ['asking:sent', FAILED, 'settled', 1, { ok: false, error: { code: 'own' }, isError: false }],
    ['asking:sent', REFUSED, 'settled', 1, { ok: false, code: 'not_supported' }],
    ['asking:sent', CHANGED, 'asking:sent', 2, undefined],
    ['asking:sent', GONE, 'settled', 1, { ok: false, code: 'peer_left' }],
    ['asking:sent', LEFT, 'settled', 1, { ok: false, code: 'left' }],
    ['asking:received', RECEIVED, 'asking:received', 1, undefined],
    ['asking:received', ANSWERED, 'settled', 1, { ok: true, result: 7 }],
    ['asking:received', FAILED, 'settled', 1, { ok: false, error: { code: 'own' }, isError: false }],
    ['asking:received', REFUSED, 'settled', 1, { ok: false, code: 'not_supported' }],
    ['asking:received', CHANGED, 'settled', 1, { ok: false, code: 'peer_left' }],
    ['asking:received', GONE, 'settled', 1, { ok: false, code: 'peer_left' }],
    ['asking:received', LEFT, 'settled', 1, { ok: false, code: 'left' }],
    ['settled', RECEIVED, 'settled', 1, { ok: true, result: 7 }],
    ['settled', FAILED, 'settled', 1, { ok: true, result: 7 }],
    ['settled', REFUSED, 'settled', 1, { ok: true, result: 7 }],
    ['settled', CHANGED, 'settled', 1, { ok: true, result: 7 }],
    ['settled', GONE, 'settled', 1, { ok: true, result: 7 }],
    ['settled', LEFT, 'settled', 1, { ok: true, result: 7 }],
  ] as const)('RPC-1 in %s, %o leads to %s', (from, event, to, asked, outcome) => {
    start({ timeoutMs: null, retries: 0 })
    for (const before of WAYS[from] ?? []) request.send(before)
    expect(state()).toBe(from)
    if (request.getSnapshot().status === 'active') request.send(event)
    expect([state(), asks(), ended()]).toEqual([to, asked, outcome])
    expect(told.filter(({ type }) => type === 'request.settled').length).toBe(outcome === undefined ? 0 : 1)
  })

  it('RPC-7 without a receipt it asks again after 5, 10, 20, 40 and then every 60 s', async () => {
    start({ timeoutMs: null, retries: 0 })
    const times: number[] = []
    request.on('request.ask', () => void times.push(clock.now() / 1_000))
    await clock.advance(260_000)
    expect(times).toEqual([5, 15, 35, 75, 135, 195, 255])
    request.send(RECEIVED)
    await clock.advance(3_600_000)
    expect([asks(), state()]).toEqual([8, 'asking:received'])
  })

  it('RPC-3 RPC-7 the answer has its own limit, whether the request was received or not', async () => {
    for (const received of [false, true]) {
      told = []
      start({ timeoutMs: 1_000, retries: 2 })
      if (received) request.send(RECEIVED)
      await clock.advance(999)
      expect(asks()).toBe(1)
      await clock.advance(1)
      expect([asks(), state()]).toEqual([2, 'asking:sent'])
      await clock.advance(1_999)
      expect([asks(), ended()]).toEqual([3, undefined])
      await clock.advance(1)
      expect([asks(), ended()]).toEqual([3, { ok: false, code: 'timeout' }])
      expect(clock.pending).toBe(0)
    }
  })

  it('RPC-3 without retries there is one attempt', async () => {
    start({ timeoutMs: 50, retries: 0 })
    await clock.advance(50)
    expect([asks(), ended()]).toEqual([1, { ok: false, code: 'timeout' }])
  })

  it('RPC-4 without a limit it waits for ever', async () => {
    start({ timeoutMs: null, retries: 0 })
    request.send(RECEIVED)
    await clock.advance(2_147_483_648)
    expect([state(), asks()]).toEqual(['asking:received', 1])
  })

  it('RPC-5 what was received once is not asked of another session, also in a later attempt', async () => {
    start({ timeoutMs: 1_000, retries: 1 })
    request.send(RECEIVED)
    await clock.advance(1_000)
    expect(state()).toBe('asking:sent')
    request.send(CHANGED)
    expect(ended()).toEqual({ ok: false, code: 'peer_left' })
  })
})
