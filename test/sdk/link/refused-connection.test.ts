import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pageClock } from '../../../sdk/client/clock.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import type { SocketEvents, SocketOptions, WireSocket } from '../../../sdk/link/wire-socket.ts'

let attempts: number
/** What the service says of when a page may come again. */
let retryAfterMs: unknown

vi.mock('../../../sdk/link/polling.ts', () => ({
  openPolling: (_: SocketOptions, events: SocketEvents): WireSocket => {
    attempts += 1
    const data = { code: 'rate_limited', message: 'too many', retryAfterMs }
    queueMicrotask(() => events.refused({ message: 'too many', data }))
    return { emit: () => {}, close: () => {}, expect: () => {} }
  },
}))

beforeEach(() => {
  attempts = 0
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

async function attemptsAfter(waits: readonly number[], jitter = 0): Promise<number[]> {
  const transport = socketTransport({ service: 'http://localhost', token: 't', WebSocket: null })
  const link = new ServiceLink({ transport, clock: pageClock, random: () => jitter })
  link.start()
  await vi.advanceTimersByTimeAsync(0)
  await vi.dynamicImportSettled()
  await vi.advanceTimersByTimeAsync(0)
  const counts = [attempts]
  for (const wait of waits) {
    await vi.advanceTimersByTimeAsync(wait)
    counts.push(attempts)
  }
  link.close()
  return counts
}

it('CLU-145 a page whose connection is refused for a while comes again after it, spread over half of it more', async () => {
  retryAfterMs = 4_000
  expect(await attemptsAfter([3_999, 1])).toEqual([1, 1, 2])
  attempts = 0
  expect(await attemptsAfter([5_999, 1], 1)).toEqual([1, 1, 2])
})

it.each([[undefined], ['soon'], [-5], [Number.NaN], [null]])(
  'CLU-145 a refusal that says %j leaves the time between attempts as it is',
  async (said) => {
    retryAfterMs = said
    expect(await attemptsAfter([249, 1])).toEqual([1, 1, 2])
  },
)

it('CLU-145 no refusal keeps a page away for more than a minute', async () => {
  retryAfterMs = 1e12
  expect(await attemptsAfter([59_999, 1])).toEqual([1, 1, 2])
})
