import type { ServiceClock } from '../clock/clock.ts'
import type { TelephonyGateway } from './telephony-gateway.ts'

interface PatienceParts {
  readonly gateway: TelephonyGateway
  readonly clock: ServiceClock
  readonly onFault: (thrown: unknown) => void
}

/** For the gateway to say that it has carried something out. */
const ANSWER_LIMIT_MS = 5_000

/** Waits for the gateway, but not for ever, and knows which telephones it has still to free. */
export class PatientGateway {
  readonly #parts: PatienceParts
  /** What the gateway has been told to end, by contact. */
  readonly #ending = new Map<string, Promise<void>>()

  constructor(parts: PatienceParts) {
    this.#parts = parts
  }

  hangUp(contact: string, id: string): void {
    const before = this.#ending.get(contact)
    const run = async (): Promise<void> => this.#parts.gateway.hangUp(id)
    const ending = Promise.all([before, this.within('hang up', run)]).then(() => {
      if (this.#ending.get(contact) === ending) this.#ending.delete(contact)
    })
    this.#ending.set(contact, ending)
  }

  /** Resolves when what was told to end there has ended. */
  async ended(contact: string): Promise<void> {
    await this.#ending.get(contact)
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#ending.values())
  }

  /** Never rejects. */
  async within(what: string, run: () => Promise<unknown>): Promise<void> {
    const { clock, onFault } = this.#parts
    let timer: unknown
    const limit = new Promise<never>((_settle, fail) => {
      timer = clock.setTimeout(
        () => fail(new Error(`the telephony gateway does not ${what}`)),
        ANSWER_LIMIT_MS,
      )
    })
    await Promise.race([run(), limit]).catch(onFault)
    clock.clearTimeout(timer)
  }
}
