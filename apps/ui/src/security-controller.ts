import type { CallHost } from './call-host.ts'
import { problemOf } from './problems.ts'
import type { Contact } from './sdk.ts'

/** How far the other party's key is verified, and what the user decides about it. */
export class SecurityController {
  readonly #contact: Contact
  readonly #host: CallHost

  constructor(contact: Contact, host: CallHost) {
    this.#contact = contact
    this.#host = host
  }

  listen(signal: AbortSignal): void {
    const contact = this.#contact
    const show = (verification: typeof contact.verification): void =>
      this.#host.tell({ type: 'verification', verification })
    show(contact.verification)
    contact.on('verification', show, { signal })
    contact.on('insecure', () => this.#host.tell({ type: 'insecure' }), { signal })
  }

  /**
   * Both people have compared the code of these digits: the contact takes it of no other one. If it differs, the
   * contact goes on for nobody.
   */
  compared(digits: string, isSame: boolean): void {
    this.#decide(() => this.#contact.verify(isSame, digits))
  }

  /** Goes on with the changed key of these digits, which nobody has compared. */
  acceptKey(digits: string): void {
    this.#decide(() => this.#contact.acceptKey(digits))
  }

  #decide(decide: () => void): void {
    try {
      decide()
    } catch (error) {
      this.#host.tell({ type: 'problem', problem: problemOf(error, 'other') })
    }
  }
}
