import type { Socket } from 'socket.io'
import type { Pushes } from '../../../protocol/index.ts'

/** From so many bytes on a packet is announced: what a line of 32 kbit/s carries in 4 s. */
const LARGE_BYTES = 16_384
/** A line carries this at least, bytes each millisecond: half of 32 kbit/s. */
const SLOWEST = 2
/** So often the timeout of a page is put off to which a large packet is on its way. */
const SIGN_MS = 3_000

/** The part of Engine.IO's connection that is private. */
interface Sending {
  readonly transport: { readonly name: string; readonly writable: boolean }
  readonly pingTimeoutTimer?: { refresh(): void } | null
  writeBuffer: { readonly data?: unknown }[]
  sendPacket(type: string, data?: unknown, ...rest: unknown[]): void
  flush(): void
}

const sizeOf = (data: unknown): number => (typeof data === 'string' ? Buffer.byteLength(data) : 0)

/**
 * Announces by the push `link.coming` whatever a page sees only when it is whole, and is large: a message of a
 * WebSocket, the answer to a poll. The page's answer to a ping stands behind it. `inTransit`: bytes that were
 * written and have not arrived.
 */
export function announceLargePackets({ conn }: Pick<Socket, 'conn'>, inTransit: () => number): void {
  const parts = conn as unknown as Sending
  const announce = announcer(conn, inTransit)
  announceMessages(parts, announce)
  announcePolls(parts, announce)
}

/** A WebSocket carries each packet as a message. */
function announceMessages(parts: Sending, announce: (bytes: number) => void): void {
  const send = parts.sendPacket.bind(parts)
  parts.sendPacket = (type, data, ...rest) => {
    const bytes = type === 'message' && parts.transport.name !== 'polling' ? sizeOf(data) : 0
    if (bytes >= LARGE_BYTES) announce(bytes)
    send(type, data, ...rest)
  }
}

/** The answer to a poll carries all packets that wait: the announcement has an answer of its own before it. */
function announcePolls(parts: Sending, announce: (bytes: number) => void): void {
  const flush = parts.flush.bind(parts)
  let isAnnounced = false
  parts.flush = () => {
    const { transport, writeBuffer: waiting } = parts
    if (transport.name !== 'polling') return flush()
    if (!transport.writable) return
    const bytes = isAnnounced ? 0 : waiting.reduce((sum, { data }) => sum + sizeOf(data), 0)
    isAnnounced = false
    if (bytes < LARGE_BYTES) return flush()
    parts.writeBuffer = []
    announce(bytes)
    flush()
    parts.writeBuffer.push(...waiting)
    isAnnounced = true
  }
}

/** Sends the announcement, and puts the timeout of the page off while so many bytes may be on their way. */
function announcer(conn: Socket['conn'], inTransit: () => number): (bytes: number) => void {
  const parts = conn as unknown as Sending
  const send = parts.sendPacket.bind(conn)
  let until = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  const look = (): void => {
    if (performance.now() >= until || inTransit() < LARGE_BYTES / 2) return stop()
    parts.pingTimeoutTimer?.refresh()
  }
  conn.on('close', stop)
  return (bytes) => {
    const body: Pushes['link.coming'] = { bytes }
    send('message', `2${JSON.stringify(['link.coming', body])}`)
    until = Math.max(until, performance.now()) + bytes / SLOWEST
    timer ??= setInterval(look, SIGN_MS)
  }
}
