import { within } from '../../protocol/index.ts'
import type { EngineHost } from '../media-engine.ts'
import type { PeerAttempt } from './peer-attempt.ts'
import { hasRelay, toIceServers } from './ice-servers.ts'
import type { Peer } from './peer.ts'
import { BETWEEN_RESTARTS_MS, SERVERS_LIMIT_MS } from './limits.ts'
import type { PeerSignal, RecoveryStep } from './signals.ts'

export interface IceRestartsOptions {
  readonly host: EngineHost
  readonly isInitiator: boolean
  readonly isCurrent: (attempt: PeerAttempt) => boolean
  /** Signals that waited for a restart and do not fit any more. */
  readonly dropped: (count: number) => void
}

const ufragOf = (sdp: string): string | undefined => /^a=ice-ufrag:(\S+)/m.exec(sdp)?.[1]

/**
 * Whether an offer of the other side restarts ICE: its credentials differ from those in force (RFC 8839,
 * section
 * 4.4.1.1.1). `current` is the remote description in force.
 */
export const isIceRestart = (offer: PeerSignal, current: string | undefined): boolean =>
  offer.type === 'offer' && current !== undefined && ufragOf(offer.sdp) !== ufragOf(current)

/**
 * ICE restarts of a connection, from either side: at most one a second, each with ICE servers fetched anew,
 * since
 * their credentials are short-lived.
 */
export class IceRestarts {
  readonly #options: IceRestartsOptions

  constructor(options: IceRestartsOptions) {
    this.#options = options
  }

  /** Carries out a step, which only the initiator can. */
  async carryOut(attempt: PeerAttempt, step: RecoveryStep): Promise<void> {
    const { host, isInitiator, isCurrent } = this.#options
    if (!isInitiator || !this.#isTime(attempt)) return
    try {
      if (step === 'renegotiate') return attempt.peer?.renegotiate()
      const fresh = toIceServers(await host.iceServers())
      if (isCurrent(attempt))
        attempt.peer?.restart(fresh, step === 'relay' && hasRelay(fresh) ? 'relay' : undefined)
    } catch {
      // The next step tries again.
    }
  }

  /** Fetches the servers anew here, too, before a restart of the other side is answered. */
  async refresh(attempt: PeerAttempt, peer: Peer): Promise<void> {
    const { host, isCurrent, dropped } = this.#options
    if (!this.#isTime(attempt)) return
    attempt.hold()
    const limit = { ms: SERVERS_LIMIT_MS, clock: host.clock }
    const fresh = await within(host.iceServers(), limit).catch(() => undefined)
    if (!isCurrent(attempt)) return
    if (fresh) peer.refresh(toIceServers(fresh))
    dropped(attempt.open(peer))
  }

  #isTime(attempt: PeerAttempt): boolean {
    const now = this.#options.host.clock.now()
    if (now - attempt.restartedAtMs < BETWEEN_RESTARTS_MS) return false
    attempt.restartedAtMs = now
    return true
  }
}
