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
  sendPacket(type: string, data?: unknown, ...rest: unknown[]): void
  readonly pingTimeoutTimer?: { refresh(): void } | null
}

/**
 * Announces each large packet by the push `link.coming`: a browser shows no part of a message before it is whole,
 * and the page's answer to a ping stands behind it. `inTransit`: bytes that were written and have not arrived.
 */
export function announceLargePackets({ conn }: Pick<Socket, 'conn'>, inTransit: () => number): void {
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
  parts.sendPacket = (type, data, ...rest) => {
    const bytes = type === 'message' && typeof data === 'string' ? Buffer.byteLength(data) : 0
    if (bytes >= LARGE_BYTES) {
      const body: Pushes['link.coming'] = { bytes }
      send('message', `2${JSON.stringify(['link.coming', body])}`)
      until = Math.max(until, performance.now()) + bytes / SLOWEST
      timer ??= setInterval(look, SIGN_MS)
    }
    send(type, data, ...rest)
  }
  conn.on('close', stop)
}
