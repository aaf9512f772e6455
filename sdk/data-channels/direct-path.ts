import type { DataPipe, DataPipeEvents, MakeDataPipe } from '../../engines/eager.ts'
import type { Clock, JsonValue, Slot } from '../../protocol/index.ts'
import { iceServersOf } from '../link/ice-servers.ts'
import type { IceLink } from '../link/ice-servers.ts'
import type { Replies } from './replies.ts'
import type { Relay } from '../relay/relay.ts'

/** A network that let no direct connection through is not tried again for so long. */
const BLOCKED_MS = 60_000
/** Signals that wait for the code; a connection needs far fewer. */
const MOST_WAITING = 128

/** What a direct connection needs of its contact. */
export interface DirectPathOptions {
  /** Slot of this party. */
  readonly role: Slot
  readonly clock: Clock
  readonly link: IceLink
  readonly relay: Pick<Relay, 'trySend'>
  /** How to connect directly; null where that cannot be. */
  readonly pipes: () => Promise<MakeDataPipe | null>
}

/**
 * The direct connection of a contact's channels: made when the first one wants it, by either side, and kept
 * until it breaks.
 */
export class DirectPath {
  readonly #options: DirectPathOptions
  readonly #events: DataPipeEvents
  readonly #replies: Pick<Replies, 'answer'>
  #making: Promise<MakeDataPipe | null> | null = null
  #pipe: DataPipe | null = null
  #waiting = 0
  #isConnecting = false
  #blockedUntil = Number.NEGATIVE_INFINITY

  constructor(options: DirectPathOptions, events: DataPipeEvents, replies: Pick<Replies, 'answer'>) {
    this.#options = options
    this.#events = events
    this.#replies = replies
  }

  get state(): 'open' | 'connecting' | 'none' {
    if (this.#pipe?.isOpen) return 'open'
    return this.#isConnecting ? 'connecting' : 'none'
  }

  get frameBytes(): number {
    return this.#pipe?.frameBytes ?? 0
  }

  get bufferedBytes(): number {
    return this.#pipe?.bufferedBytes ?? 0
  }

  /** Connects, unless there is a connection or none can be had. */
  want(): void {
    if (this.state !== 'none' || this.#options.clock.now() < this.#blockedUntil) return
    this.#isConnecting = true
    this.#with((pipe) => {
      if (!this.#isConnecting) return
      if (pipe) pipe.connect()
      else this.#failed()
    })
  }

  /** No channel waits for it any longer: an own attempt is given up. */
  giveUp(): void {
    if (!this.#isConnecting) return
    this.#pipe?.close()
    this.#failed()
  }

  receive(signal: JsonValue): void {
    if (isUnable(signal)) return this.#isConnecting ? this.#failed() : undefined
    this.#with((pipe) => {
      if (pipe) pipe.receive(signal)
      else this.#replies.answer('unable', () => this.#signal(UNABLE))
    })
  }

  /** False where the connection is gone: it is told as `closed`. */
  send(bytes: Uint8Array<ArrayBuffer>): boolean {
    try {
      this.#pipe?.send(bytes)
      return this.#pipe !== null
    } catch {
      this.#pipe?.close()
      this.#events.closed()
      return false
    }
  }

  /** Gives the connection back, and forgets what was learnt of the other side. */
  close(): void {
    this.#pipe?.close()
    this.#pipe = this.#making = null
    this.#isConnecting = false
    this.#blockedUntil = Number.NEGATIVE_INFINITY
  }

  #failed(): void {
    this.#isConnecting = false
    this.#blockedUntil = this.#options.clock.now() + BLOCKED_MS
    this.#events.closed()
  }

  /** Runs with the pipe, or without where there can be none; in the order of the calls. */
  #with(run: (pipe: DataPipe | null) => void): void {
    if (this.#waiting >= MOST_WAITING) return
    this.#waiting++
    const making = (this.#making ??= this.#options.pipes().catch(() => null))
    void making.then((make) => {
      this.#waiting--
      if (this.#making !== making) return
      if (make) this.#pipe ??= this.#make(make)
      run(this.#pipe)
    })
  }

  #make(make: MakeDataPipe): DataPipe {
    const { role: slot, link, clock } = this.#options
    const signal = (data: JsonValue): void => this.#signal(data)
    const host = { slot, clock, signal, iceServers: iceServersOf(link) }
    return make(host, {
      ...this.#events,
      opened: () => {
        this.#isConnecting = false
        this.#events.opened()
      },
      closed: () => (this.#isConnecting ? this.#failed() : this.#events.closed()),
    })
  }

  #signal(data: JsonValue): void {
    this.#options.relay.trySend('channel', data)
  }
}

/** This side cannot connect directly. */
const UNABLE = { type: 'unable' } as const
const isUnable = (signal: JsonValue): boolean =>
  typeof signal === 'object' && signal !== null && 'type' in signal && signal.type === UNABLE.type
