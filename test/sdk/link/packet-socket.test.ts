/** When a connection counts as lost: packets arrive as the test says, over a carrier that it has made. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PacketSocket } from '../../../sdk/link/packet-socket.ts'
import type { CarrierEvents } from '../../../sdk/link/wire-socket.ts'

const [GREETING_MS, ACCEPT_MS, HEARTBEAT_MS] = [4_000, 10_000, 30_000]
const GREETING = `0${JSON.stringify({ sid: 's', pingInterval: 20_000, pingTimeout: 10_000 })}`

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function socketOf() {
  const told: string[] = []
  let heard: CarrierEvents | undefined
  const socket = new PacketSocket(
    {
      auth: { token: 'token', protocol: '1' },
      greetingLimitMs: GREETING_MS,
      carry: (events) => {
        heard = events
        return { send: () => {}, close: () => void told.push('closed') }
      },
    },
    {
      up: () => void told.push('up'),
      refused: () => void told.push('refused'),
      event: () => void told.push('event'),
      down: ({ code }, reached) => void told.push(`${code}, reached: ${reached}`),
    },
  )
  return { socket, told, packet: (text: string) => heard?.packet(text) }
}

/** It is lost after so long, and not before. */
function isLostAfter({ told }: { readonly told: string[] }, ms: number, reached = true): void {
  told.length = 0
  vi.advanceTimersByTime(ms - 1)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual(['closed', `offline, reached: ${reached}`])
}

it('LOG-14 a service that does not greet, accept or ask is lost after the time that it has for that', () => {
  isLostAfter(socketOf(), GREETING_MS, false)
  const greeted = socketOf()
  greeted.packet(GREETING)
  isLostAfter(greeted, ACCEPT_MS)
  const accepted = socketOf()
  accepted.packet(GREETING)
  accepted.packet('40{"sid":"t"}')
  isLostAfter(accepted, HEARTBEAT_MS)
})

it('LOG-14 each packet begins the silence anew; one that was announced may take longer, and the next may not', () => {
  const line = socketOf()
  line.packet(GREETING)
  line.packet('40{"sid":"t"}')
  for (const packet of ['2', '42["log.entries",{}]', '431[null]', '6']) {
    vi.advanceTimersByTime(HEARTBEAT_MS - 1)
    line.packet(packet)
  }
  line.socket.expect(60_000)
  vi.advanceTimersByTime(HEARTBEAT_MS + 60_000 - 1)
  expect(line.told).toEqual(['up', 'event'])
  line.packet('2')
  isLostAfter(line, HEARTBEAT_MS)
})
