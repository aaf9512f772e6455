import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** How long a call lasts: renders its element each second while there is one. */
export class CallClock implements ReactiveController {
  readonly #host: ReactiveControllerHost
  readonly #since: () => number | null
  #timer: ReturnType<typeof setInterval> | undefined

  /** @param since When the call began, milliseconds since the epoch; null without one. */
  constructor(host: ReactiveControllerHost, since: () => number | null) {
    this.#host = host
    this.#since = since
    host.addController(this)
  }

  /** Minutes and seconds, such as `1:05`. */
  get text(): string {
    const seconds = Math.max(0, Math.floor((Date.now() - (this.#since() ?? Date.now())) / 1000))
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }

  hostUpdated(): void {
    if (this.#since() === null) this.hostDisconnected()
    else this.#timer ??= setInterval(() => this.#host.requestUpdate(), 1000)
  }

  hostDisconnected(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
