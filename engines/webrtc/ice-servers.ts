import type { EngineHost } from '../media-engine.ts'
import { SERVERS_FRESH_MS } from './limits.ts'

type Servers = Awaited<ReturnType<EngineHost['iceServers']>>

/** The servers as a connection takes them. */
export const toIceServers = (servers: Servers): RTCIceServer[] =>
  servers.map(({ urls, username, credential }) => ({
    urls: [...urls],
    ...(username !== undefined && { username }),
    ...(credential !== undefined && { credential }),
  }))

/** Whether one of them can relay. */
export const hasRelay = (servers: readonly RTCIceServer[] | undefined): boolean =>
  servers?.some(({ urls }) => [urls].flat().some((url) => /^turns?:/i.test(url))) === true

/**
 * ICE servers for the next attempt, fetched ahead where a call can be foreseen: that saves a round trip to
 * the
 * service while the user waits. Each answer is used once.
 */
export class ServerSupply {
  readonly #host: EngineHost
  #ahead: { readonly atMs: number; readonly servers: Promise<Servers> } | undefined

  constructor(host: EngineHost) {
    this.#host = host
  }

  /** A start may follow. */
  foresee(): void {
    if (this.#isFresh) return
    const servers = this.#host.iceServers()
    servers.catch(() => {})
    this.#ahead = { atMs: this.#host.clock.now(), servers }
  }

  /** @throws what the service says, which it is asked once more where it failed ahead of time */
  async take(): Promise<Servers> {
    const ahead = this.#isFresh ? this.#ahead?.servers : undefined
    this.#ahead = undefined
    return (await ahead?.catch(() => undefined)) ?? this.#host.iceServers()
  }

  get #isFresh(): boolean {
    return this.#ahead !== undefined && this.#host.clock.now() - this.#ahead.atMs < SERVERS_FRESH_MS
  }
}
