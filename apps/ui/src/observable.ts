import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** Something that tells when it has changed. */
export interface Observable {
  /** Calls `listener` after each change until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Tells listeners of a change. */
export class Changes implements Observable {
  readonly #listeners = new Set<() => void>()

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Renders its element again whenever one of the watched things has changed. */
export class ObserverController implements ReactiveController {
  readonly #host: ReactiveControllerHost
  readonly #onChange: () => void
  #watched: readonly Observable[] = []
  #stops: readonly (() => void)[] = []
  #isConnected = false

  constructor(host: ReactiveControllerHost, onChange: () => void = () => host.requestUpdate()) {
    this.#host = host
    this.#onChange = onChange
    this.#host.addController(this)
  }

  watch(...watched: readonly (Observable | null | undefined)[]): void {
    this.#watched = watched.filter((one): one is Observable => one !== null && one !== undefined)
    this.#restart()
  }

  hostConnected(): void {
    this.#isConnected = true
    this.#restart()
  }

  hostDisconnected(): void {
    this.#isConnected = false
    this.#restart()
  }

  #restart(): void {
    for (const stop of this.#stops) stop()
    this.#stops = this.#isConnected ? this.#watched.map((one) => one.subscribe(this.#onChange)) : []
  }
}
