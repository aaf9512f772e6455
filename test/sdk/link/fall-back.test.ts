import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SocketEvents, SocketOptions, WireSocket } from '../../../sdk/link/wire-socket.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { pageClock } from '../../../sdk/client/clock.ts'

/** Sockets that were opened, in order; those over long polling with what they tell. */
let opened: ('WebSocket' | SocketEvents)[]

vi.mock('../../../sdk/link/polling.ts', () => ({
  openPolling: (_: SocketOptions, events: SocketEvents): WireSocket => {
    opened.push(events)
    queueMicrotask(() => events.up())
    return { emit: (_name, _body, answer) => answer({ ok: {} }), close: () => {}, expect: () => {} }
  },
}))

/** A WebSocket whose handshake a proxy swallows. */
class Swallowed extends EventTarget {
  constructor() {
    super()
    opened.push('WebSocket')
  }
  close = (): void => {}
}

/** A WebSocket that gets through the first time, until it is lost. */
class OnceCarried extends Swallowed {
  static lose = (): void => {}
  constructor() {
    super()
    if (opened.length > 1) return
    OnceCarried.lose = () => void this.dispatchEvent(new Event('close'))
    queueMicrotask(() => this.#tell('0{"pingInterval":3500,"pingTimeout":10000}'))
  }
  send = (packet: string): void => {
    if (packet.startsWith('40')) queueMicrotask(() => this.#tell('40{"sid":"s"}'))
  }
  #tell(data: string): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

/** A browser that allows no WebSocket. */
function Forbidden(): never {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}

const linkOver = (Socket: unknown): ServiceLink =>
  new ServiceLink({
    transport: socketTransport({
      service: 'http://localhost',
      token: 't',
      WebSocket: Socket as typeof WebSocket,
    }),
    clock: pageClock,
    random: () => 0,
  })

const ways = (): string[] => opened.map((each) => (each === 'WebSocket' ? each : 'polling'))

beforeEach(() => {
  opened = []
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

describe('where no WebSocket gets through', () => {
  it('SND-303 LOG-14 long polling carries the contact after 4 s without a greeting', async () => {
    const link = linkOver(Swallowed)
    link.start()
    await vi.advanceTimersByTimeAsync(3_999)
    expect(link.state).toBe('connecting')
    await vi.advanceTimersByTimeAsync(1)
    await vi.dynamicImportSettled()
    expect([link.state, ways()]).toEqual(['online', ['WebSocket', 'polling']])
    link.close()
  })

  it('SND-303 LOG-14 long polling is tried at once the next time, as long as it gets through', async () => {
    const link = linkOver(Swallowed)
    link.start()
    await vi.advanceTimersByTimeAsync(4_000)
    await vi.dynamicImportSettled()
    link.hide()
    link.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect([link.state, ways()]).toEqual(['online', ['WebSocket', 'polling', 'polling']])
    link.close()
  })

  it('CLU-162 after 10 s where a WebSocket had got through: a service that many come to greets late', async () => {
    const link = linkOver(OnceCarried)
    link.start()
    await vi.advanceTimersByTimeAsync(0)
    expect(link.state).toBe('online')
    OnceCarried.lose()
    await vi.advanceTimersByTimeAsync(0)
    while (opened.length < 2) await vi.advanceTimersByTimeAsync(1)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(ways()).toEqual(['WebSocket', 'WebSocket'])
    await vi.advanceTimersByTimeAsync(1)
    await vi.dynamicImportSettled()
    expect([link.state, ways()]).toEqual(['online', ['WebSocket', 'WebSocket', 'polling']])
    link.close()
  })

  it('SND-302 LOG-14 long polling carries the contact where a WebSocket cannot even be made', async () => {
    const link = linkOver(Forbidden)
    link.start()
    await vi.advanceTimersByTimeAsync(0)
    await vi.dynamicImportSettled()
    expect([link.state, ways()]).toEqual(['online', ['polling']])
    link.close()
  })
})
