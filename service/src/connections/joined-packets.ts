import type { Socket } from 'socket.io'

/**
 * What is sent to a connection in one turn leaves in one write to the kernel, which is the dearest part of
 * sending. Engine.IO has no setting for it: it writes the first packet at once, and each of those that wait
 * meanwhile by itself.
 */
export function joinPackets({ conn }: Socket): void {
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
