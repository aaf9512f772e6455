/**
 * Why a request of a carrier has no answer. `unknown`: nobody subscribes to the subject; `full`: it was not
 * sent, because `unsentBytes` wait already.
 */
export type NoAnswer = 'unknown' | 'silent' | 'down' | 'full'

/** A request of a carrier has no answer. */
export class NoAnswerError extends Error {
  readonly reason: NoAnswer

  constructor(reason: NoAnswer, options?: ErrorOptions) {
    super(`unable to get an answer over the bus: ${reason}`, options)
    this.reason = reason
  }
}

/** A message as it arrives. `answer` is there where somebody waits for one. */
export interface Delivery {
  readonly bytes: Uint8Array
  readonly answer: ((bytes: Uint8Array) => void) | null
}

/**
 * One connection of a driver: carries bytes to the subscribers of a subject, at most once, those of one
 * publisher to one subject in order.
 */
export interface Carrier {
  readonly isUp: boolean
  /** Never waits. False: it was not sent, because `unsentBytes` wait already. */
  publish(subject: string, bytes: Uint8Array): boolean
  /** @throws {@link NoAnswerError} */
  request(subject: string, bytes: Uint8Array, limitMs: number): Promise<Uint8Array>
  /** `take` must not throw. */
  subscribe(subject: string, take: (delivery: Delivery) => void): void
  /** Called when it goes down and when it is up again. */
  onStatus(run: (isUp: boolean) => void): void
  /** Resolves when what was subscribed is known to the other side. */
  ready(): Promise<void>
  close(): Promise<void>
}
