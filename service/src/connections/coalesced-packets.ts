import type { Socket } from 'socket.io'

/**
 * Writes all packets of one turn of the event loop to the kernel at once: the system call is the most expensive
 * part of sending. Engine.IO has no setting for it and writes each packet by itself.
 */
export function coalescePackets({ conn }: Socket): void {
  const flush = conn['flush'].bind(conn)
  const { socket } = conn.request
  let soon = false
  conn['flush'] = () => {
    if (soon) return
    soon = true
    process.nextTick(() => {
      soon = false
      socket.cork()
      flush()
      socket.uncork()
    })
  }
}
