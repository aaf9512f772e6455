/**
 * A network between two parties that a test can change under them: all their UDP goes through here, since the
 * candidates that they exchange are rewritten.
 */
import { createSocket } from 'node:dgram'
import type { Socket } from 'node:dgram'
import { otherSlot } from '../../protocol/index.ts'
import type { JsonValue, Slot } from '../../protocol/index.ts'

interface Door {
  /** Where packets for the party behind it arrive. */
  readonly socket: Socket
  /** Where that party really is. */
  readonly address: string
  readonly port: number
}

interface PeerSignal {
  readonly type: string
  readonly sdp?: string
  readonly candidate?: { readonly candidate: string }
}

const CANDIDATE = /^candidate:\S+ 1 udp \d+ (\S+) (\d+) typ host/i

export class ChangingNetwork {
  readonly #doors: Record<Slot, Map<number, Promise<Door>>> = { visitor: new Map(), agent: new Map() }
  readonly #dead = new Set<Socket>()
  /** Packets that came through. */
  passed = 0

  /**
   * The paths that there are now are gone for good, as when a laptop goes from one network to another. New
   * ones can be found.
   */
  async change(): Promise<void> {
    for (const slot of ['visitor', 'agent'] as const)
      for (const door of this.#doors[slot].values()) this.#dead.add((await door).socket)
  }

  /** What a party signals, as the other one must get it; nothing where it would lead past this network. */
  async rewrite(from: Slot, data: JsonValue): Promise<JsonValue | undefined> {
    const { peer, ...rest } = data as unknown as { readonly peer?: PeerSignal }
    if (!peer) return data
    if (peer.sdp !== undefined)
      return { ...rest, peer: { type: peer.type, sdp: peer.sdp.replaceAll(/a=candidate:.*\r\n/g, '') } }
    const line = peer.candidate?.candidate ?? ''
    const [, address, port] = CANDIDATE.exec(line) ?? []
    if (address !== '127.0.0.1' || port === undefined) return undefined
    const door = await this.#doorTo(from, address, Number(port))
    const candidate = line.replace(` ${address} ${port} `, ` 127.0.0.1 ${door.socket.address().port} `)
    return { ...rest, peer: { ...peer, candidate: { ...peer.candidate, candidate } } }
  }

  async close(): Promise<void> {
    for (const slot of ['visitor', 'agent'] as const)
      for (const door of this.#doors[slot].values()) (await door).socket.close()
  }

  #doorTo(slot: Slot, address: string, port: number): Promise<Door> {
    const known = this.#doors[slot].get(port)
    if (known) return known
    const door = new Promise<Door>((resolve, reject) => {
      const socket = createSocket('udp4')
      socket.on('error', reject)
      socket.on(
        'message',
        (packet, sender) =>
          void this.#pass(otherSlot(slot), sender.port, { packet, to: { socket, address, port } }),
      )
      socket.bind(0, '127.0.0.1', () => resolve({ socket, address, port }))
    })
    this.#doors[slot].set(port, door)
    return door
  }

  /** Passes a packet on so that it seems to come from the sender's own door. */
  async #pass(
    from: Slot,
    senderPort: number,
    { packet, to }: { readonly packet: Buffer; readonly to: Door },
  ): Promise<void> {
    const own = await this.#doorTo(from, '127.0.0.1', senderPort)
    if (this.#dead.has(own.socket) || this.#dead.has(to.socket)) return
    this.passed++
    own.socket.send(packet, to.port, to.address)
  }
}
