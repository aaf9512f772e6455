import { ContactError, copyOf } from '../../protocol/index.ts'
import type { Calls, Clock } from '../../protocol/index.ts'

type Answer = Calls['ice.servers']['result']

/** An answer serves this part of the life of its credentials, at most this long. */
const USED_PART = 0.1
const USED_MS = 60_000

export interface IceServersOptions {
  readonly clock: Clock
  readonly ask: () => Promise<Answer>
  /** Whether the contacts are entered: the service gives nobody else servers that relay. */
  readonly isOnline: () => boolean
}

/**
 * The service's ICE servers. An answer serves all contacts of the page for a minute: a remote can make this page
 * want servers as often as it likes, and the service limits how often a party asks.
 */
export class IceServers {
  readonly #options: IceServersOptions
  #answer: { readonly servers: Promise<Answer['iceServers']>; untilMs: number } | null = null

  constructor(options: IceServersOptions) {
    this.#options = options
  }

  /** @throws what the service answers; the same until the time that it says to wait */
  get = async (): Promise<Answer['iceServers']> => {
    if (!this.#answer || this.#options.clock.now() >= this.#answer.untilMs) this.#ask()
    return copyOf((await this.#answer?.servers) ?? [])
  }

  #ask(): void {
    const { clock, ask, isOnline } = this.#options
    const mayStay = isOnline()
    const asked = ask()
    const answer = {
      servers: asked.then(({ iceServers }) => iceServers),
      untilMs: Number.POSITIVE_INFINITY,
    }
    const keepFor = (ms: number): void => void (answer.untilMs = clock.now() + ms)
    this.#answer = answer
    asked.then(
      ({ expiresInMs }) => keepFor(mayStay ? Math.min(expiresInMs * USED_PART, USED_MS) : 0),
      (thrown: unknown) => keepFor((thrown instanceof ContactError && thrown.retryAfterMs) || 0),
    )
  }
}
