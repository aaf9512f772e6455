import type { Socket } from 'socket.io'
import type { PushName, Pushes } from '../../../protocol/index.ts'
import type { Outlet } from './channel.ts'

/** Packets that may wait for a connection before what comes next is left in the log. */
const FULL = 16

export function socketOutlet(socket: Socket): Outlet {
  const { conn } = socket
  let waiting = 0
  conn.on('packetCreate', () => {
    waiting += 1
  })
  conn.on('flush', () => {
    waiting = 0
  })
  return {
    push: <P extends PushName>(name: P, body: Pushes[P]) => {
      socket.emit(name, body)
    },
    isFull: () => waiting >= FULL,
    isOpen: () => socket.connected,
    close: () => void socket.disconnect(true),
    drained: () =>
      new Promise((settle) => {
        const done = (): void => {
          conn.off('flush', done)
          conn.off('close', done)
          settle()
        }
        if (!socket.connected) return settle()
        conn.on('flush', done)
        conn.on('close', done)
      }),
  }
}
