import type { MediaTransitionState } from '../../protocol/index.ts'
import type { Asked } from './media-operations.ts'

/** Where operations lead that change the media. */
const STATES: { readonly [K in keyof Asked]?: MediaTransitionState } = {
  offer: 'offering',
  transit: 'transiting',
  mergeAndTransit: 'transiting',
}

/** Where an operation leads that waits for the negotiation: it shows at once. */
export class AskedState {
  readonly #onChange: () => void
  #state: MediaTransitionState | null = null

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** As it is, but where an operation waits in idle. */
  over = (state: MediaTransitionState): MediaTransitionState =>
    state === 'idle' ? (this.#state ?? state) : state

  /** An operation waits. */
  wait(name: keyof Asked, asked: Promise<unknown>): void {
    const state = STATES[name]
    if (!state) return
    const ended = (): void => this.#change(null)
    this.#change(state)
    asked.then(ended, ended)
  }

  /** The media machine says where the media are. */
  reached(state: MediaTransitionState): void {
    if (state !== 'idle') this.#state = null
  }

  #change(state: MediaTransitionState | null): void {
    this.#state = state
    this.#onChange()
  }
}
