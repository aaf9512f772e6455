import { within } from '../../protocol/index.ts'
import type { ContactError } from '../../protocol/index.ts'
import type { EngineHost } from '../media-engine.ts'
import type { PeerAttempt } from './peer-attempt.ts'
import { engineError } from './classify.ts'
import { hasRelay, toIceServers } from './ice-servers.ts'
import type { Peer } from './peer.ts'
import type { Remedy } from './signals.ts'

const MIN_BETWEEN_MS = 1_000
/** How long the other side's restart waits for servers, milliseconds: then those of before do. */
const SERVERS_LIMIT_MS = 2_000
const notAnswered = (): ContactError => engineError('there are no ICE servers in time')

export interface RestartsOptions {
  readonly host: EngineHost
  readonly isInitiator: boolean
  readonly isCurrent: (attempt: PeerAttempt) => boolean
  /** Signals that waited, and did not fit any more. */
  readonly dropped: (count: number) => void
}

/**
 * Restarts of a connection, from either side: never more than one a second, each with servers fetched anew.
 */
export class Restarts {
  readonly #options: RestartsOptions

  constructor(options: RestartsOptions) {
    this.#options = options
  }

  /** Only the initiator can; a try that fails is followed by the next one. */
  async carryOut(attempt: PeerAttempt, remedy: Remedy): Promise<void> {
    const { host, isInitiator, isCurrent } = this.#options
    if (!isInitiator || !this.#isTime(attempt)) return
    try {
      if (remedy === 'renegotiate') return attempt.peer?.renegotiate()
      const fresh = toIceServers(await host.iceServers())
      if (isCurrent(attempt))
        attempt.peer?.restart(fresh, remedy === 'relay' && hasRelay(fresh) ? 'relay' : undefined)
    } catch {
      attempt.restartedAtMs = -Infinity
    }
  }

  /** The other side restarts: the servers are fetched anew here, too, before its offer is answered. */
  async refresh(attempt: PeerAttempt, peer: Peer): Promise<void> {
    const { host, isCurrent, dropped } = this.#options
    if (!this.#isTime(attempt)) return
    attempt.hold()
    const limit = { ms: SERVERS_LIMIT_MS, clock: host.clock }
    const fresh = await within(host.iceServers(), limit, notAnswered).catch(() => undefined)
    if (!isCurrent(attempt)) return
    if (fresh) peer.refresh(toIceServers(fresh))
    dropped(attempt.open(peer))
  }

  #isTime(attempt: PeerAttempt): boolean {
    const now = this.#options.host.clock.now()
    if (now - attempt.restartedAtMs < MIN_BETWEEN_MS) return false
    attempt.restartedAtMs = now
    return true
  }
}
