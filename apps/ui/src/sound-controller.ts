import type { CallHost } from './call-host.ts'

/** What plays a stream of a call. */
export interface Playing {
  /** Plays; inside a click also what the browser has blocked. */
  play(): void
}

/** What is heard of one contact's call, by whichever elements of the page. */
export class SoundController {
  readonly #host: CallHost
  readonly #silent = new Set<Playing>()

  constructor(host: CallHost) {
    this.#host = host
  }

  /**
   * Whether the browser or the system does not let a player be heard until there is a click. A player that
   * stops is not silent.
   */
  tell(player: Playing, isSilent: boolean): void {
    if (isSilent) this.#silent.add(player)
    else this.#silent.delete(player)
    const on = this.#silent.size > 0
    if (on !== this.#host.state().isSilent) this.#host.tell({ type: 'silent', on })
  }

  /** Lets everything be heard. Called inside a click. */
  resume(): void {
    for (const player of this.#silent) player.play()
  }
}
