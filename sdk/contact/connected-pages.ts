import { isHolderGone, wherePeerIs } from '../../protocol/index.ts'
import type { Clock, ConnectedSessions, Slot } from '../../protocol/index.ts'
import type { MediaPart } from './media-part.ts'
import type { Membership } from './membership.ts'
import type { SecondPage } from './second-page.ts'
import type { SessionState } from './session-state.ts'

/**
 * After a reconnection the others may be on their way back, too: who is missing counts as gone only after
 * this, milliseconds.
 */
const RETURN_MS = 5_000

export interface ConnectedPagesOptions {
  readonly role: Slot
  readonly clock: Clock
  readonly membership: Pick<Membership, 'actor'>
  readonly media: Pick<MediaPart, 'holderGone'>
  readonly second: Pick<SecondPage, 'look'>
  readonly state: () => SessionState
}

/** Compares which pages are connected with which have a part in the contact. */
export class ConnectedPages {
  readonly #options: ConnectedPagesOptions
  /** Runs while others may be on their way back. */
  #returning: unknown = null

  constructor(options: ConnectedPagesOptions) {
    this.#options = options
  }

  /** The service says who is connected. */
  told(connected: ConnectedSessions): void {
    this.#options.state().setConnected(connected)
    this.look()
  }

  /** The contact is opened again: the service will say who is connected. */
  forget(): void {
    this.#options.state().connected = null
    this.#options.second.look(false)
  }

  /** Who is connected or has a part has changed. */
  look(): void {
    const { role, membership, media, second, state } = this.#options
    const { connected, log, session } = state()
    second.look(connected !== null && connected[role].every((each) => each === session))
    if (connected === null) return
    const { shared } = log.state
    const mayBeGone = this.#returning === null
    const peer = wherePeerIs(shared, role, connected)
    if (!isHolderGone(shared, role, connected)) media.holderGone(false)
    else if (mayBeGone) media.holderGone(true)
    if (peer === 'here') membership.actor.send({ type: 'peer.here' })
    else if (peer === null) membership.actor.send({ type: 'peer.none' })
    else if (mayBeGone) membership.actor.send({ type: 'peer.gone' })
  }

  /** Those who are missing may come back soon. */
  waitForOthers = (): void => {
    const { clock } = this.#options
    clock.clearTimeout(this.#returning)
    this.#returning = clock.setTimeout(() => {
      this.#returning = null
      this.look()
    }, RETURN_MS)
  }

  end = (): void => this.#options.clock.clearTimeout(this.#returning)
}
