import type { LinkState, ServiceLink } from '../link/service-link.ts'
import type { Outbox } from '../log/outbox.ts'
import type { Delivery } from './event-queue.ts'
import type { Membership } from './membership.ts'

export interface ConnectionEventOptions {
  readonly link: Pick<ServiceLink, 'state'>
  readonly outbox: Pick<Outbox, 'isBlocked'>
  readonly membership: Pick<Membership, 'isOutside'>
  readonly delivery: Pick<Delivery, 'emit'>
}

/** The event `connection` of a contact: online when the connection is, and the contact has been opened on it. */
export class ConnectionEvent {
  readonly #options: ConnectionEventOptions
  #told: LinkState

  constructor(options: ConnectionEventOptions) {
    this.#options = options
    this.#told = options.link.state
  }

  /** The connection has changed, or the contact has been opened. */
  look = (): void => {
    const { link, outbox, membership, delivery } = this.#options
    const isMissing = link.state === 'online' && outbox.isBlocked && !membership.isOutside()
    const state = isMissing ? 'connecting' : link.state
    if (state === this.#told) return
    this.#told = state
    delivery.emit('connection', { state })
  }
}
