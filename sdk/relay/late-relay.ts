import type { ContactError, JsonValue, RelayFrame } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import { LazyModule } from '../async/lazy-module.ts'
import { later } from '../contact/lazy-modules.ts'
import { LAPSE_MS, WINDOW, requireFit, requireRoom } from './frame-size.ts'
import type { Relay } from './relay.ts'
import type { SessionRelay, SessionRelayOptions } from './session-relay.ts'

export interface LateRelayOptions extends SessionRelayOptions {
  readonly log: Log
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/**
 * The relay of a contact. Its code is loaded with the first frame, of either side, or with a reconnection; until
 * then frames wait in order.
 */
export class LateRelay implements Relay {
  readonly #options: LateRelayOptions
  readonly #code: LazyModule<SessionRelay>
  readonly #handlers = new Map<string, (body: JsonValue | undefined) => void>()
  readonly #peers = new Set<(peer: string | null, before: string | null) => void>()
  #peer: string | null = null
  /** Kinds of the frames that are to be sent when the code is there. */
  #unsent: string[] = []
  /** Why nothing is sent any more. */
  #end: ContactError | null = null

  constructor(options: LateRelayOptions) {
    this.#options = options
    this.#code = new LazyModule({
      ...options,
      operation: 'use the relay',
      load: async () => {
        const relay = new (await later.relay()).SessionRelay(options)
        for (const [kind, handler] of this.#handlers) relay.on(kind, handler)
        return relay
      },
    })
  }

  on(kind: string, handler: (body: JsonValue | undefined) => void): void {
    this.#handlers.set(kind, handler)
    this.#code.now?.on(kind, handler)
  }

  onPeer(handler: (peer: string | null, before: string | null) => void): void {
    this.#peers.add(handler)
  }

  get isBound(): boolean {
    return this.#peer !== null
  }

  bind(peer: string | null): void {
    if (peer === this.#peer || this.#end) return
    const [before, lost] = [this.#peer, this.#unsent]
    this.#peer = peer
    this.#unsent = []
    this.#code.forgetWaiting()
    this.#code.now?.bind(peer)
    if (lost.length > 0) this.#options.onLost(lost)
    for (const handler of this.#peers) handler(peer, before)
  }

  send(kind: string, body: JsonValue, window = WINDOW): void {
    const { clock, sealing } = this.#options
    if (this.#end) throw this.#end
    if (this.#code.now) return this.#code.now.send(kind, body, window)
    requireRoom(kind, this.#peer, { waiting: this.#unsent.length, window })
    requireFit(kind, body, Boolean(sealing))
    const lapsesAt = clock.now() + (LAPSE_MS[kind] ?? Number.POSITIVE_INFINITY)
    this.#with((relay) => {
      this.#unsent.shift()
      if (clock.now() < lapsesAt) relay.trySend(kind, body)
    })
    this.#unsent.push(kind)
  }

  trySend(kind: string, body: JsonValue, window = WINDOW): void {
    requireFit(kind, body, Boolean(this.#options.sealing))
    try {
      this.send(kind, body, window)
    } catch {
      this.#options.onLost([kind])
    }
  }

  receive(from: string, frame: RelayFrame): void {
    if (from === this.#peer) this.#quietly((relay) => relay.receive(from, frame))
  }

  resume(): void {
    if (this.#peer !== null) this.#quietly((relay) => relay.resume())
  }

  close(error: ContactError): void {
    this.bind(null)
    this.#end = error
  }

  /** @throws {@link ContactError} `too_large` — too much waits already */
  #with(run: (relay: SessionRelay) => void): void {
    this.#code.with((relay) => {
      relay.bind(this.#peer)
      run(relay)
    })
  }

  /** What does not find room to wait, the other side sends again. */
  #quietly(run: (relay: SessionRelay) => void): void {
    try {
      this.#with(run)
    } catch {}
  }
}
