import type { CallHost } from './call-host.ts'
import type { Contact } from './sdk.ts'
import { every } from './timers.ts'

const LOOK_FOR_RETURN_MS = 1_000

/** Whether another tab of this party has the call. */
export class ElsewhereWatch {
  readonly #contact: Contact
  readonly #host: CallHost
  readonly #closed: AbortSignal
  #stop = (): void => {}

  constructor(contact: Contact, host: CallHost, closed: AbortSignal) {
    this.#contact = contact
    this.#host = host
    this.#closed = closed
  }

  /** Another tab may have taken the place of this page. */
  lookForLoss(): void {
    if (this.#contact.holdsSlot || this.#host.state().stage === 'ended') return
    this.#host.tell({ type: 'elsewhere', on: true })
    this.#stop()
    this.#stop = every(LOOK_FOR_RETURN_MS, () => this.lookForReturn(), this.#closed)
  }

  /** This page may have its place back. */
  lookForReturn(): void {
    const { isElsewhere, stage } = this.#host.state()
    if (!isElsewhere || (!this.#contact.holdsSlot && stage !== 'ended')) return
    this.#stop()
    this.#host.tell({ type: 'elsewhere', on: false })
  }
}
