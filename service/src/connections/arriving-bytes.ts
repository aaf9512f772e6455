import type { Socket } from 'socket.io'

/**
 * Counts bytes that arrive as a sign of life. Engine.IO waits for whole packets: the answer to its ping stands
 * behind what the page is sending, which may take a slow line longer than a ping may.
 */
export function countArrivingBytes({ conn }: Socket): void {
  conn.request.socket.on('data', () => void conn['pingTimeoutTimer']?.refresh())
}
