import type { Entry, Push } from '../../../protocol/index.ts'

/** What the parts of the service tell each other after a commit. Each is a hint: the store is the truth. */
export interface BusMessages {
  /** New entries of a contact, in order. `nodes`: where the contact was open as they were stored. */
  readonly appended: {
    readonly contact: string
    readonly entries: readonly Entry[]
    readonly nodes: readonly string[]
  }
  /** A page has opened its session here; `from` is the node that had it. */
  readonly moved: {
    readonly contact: string
    readonly session: string
    readonly epoch: number
    readonly from: string
  }
  /** Something for all connections of an agent. */
  readonly agent: { readonly agent: string; readonly push: Push }
  /** Contacts or agents have become free: look for matches. */
  readonly match: { readonly reason: string }
  /** Uploads that nobody can finish: what is there of their files goes. */
  readonly uploadsDropped: { readonly ids: readonly string[] }
  /** A timer is due at this time. */
  readonly timer: { readonly due: number }
}

export type BusTopic = keyof BusMessages

/**
 * Publish and subscribe between the parts of one node. A subscriber that throws hurts neither the publisher
 * nor the others.
 */
export class LocalBus {
  readonly #subscribers: { [T in BusTopic]: Set<(message: BusMessages[T]) => void> } = {
    appended: new Set(),
    moved: new Set(),
    agent: new Set(),
    match: new Set(),
    uploadsDropped: new Set(),
    timer: new Set(),
  }
  readonly #onFault: (thrown: unknown) => void

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault
  }

  on<T extends BusTopic>(topic: T, run: (message: BusMessages[T]) => void): void {
    this.#subscribers[topic].add(run)
  }

  publish<T extends BusTopic>(topic: T, message: BusMessages[T]): void {
    for (const run of this.#subscribers[topic]) {
      try {
        run(message)
      } catch (thrown) {
        this.#onFault(thrown)
      }
    }
  }
}
