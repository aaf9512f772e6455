import type { ReactiveController, ReactiveControllerHost } from 'lit'

/**
 * Key events tell what has the focus in any depth; focus events do not leave the shadow tree in which the
 * focus moves.
 */
const KEYS = ['keydown', 'keyup'] as const

/** In the page, and not in a part of it that is hidden. */
const isShown = (element: Element): boolean => element.getClientRects().length > 0

/**
 * Gives the focus a place when the control that had it goes away or is hidden, for example a button that
 * hangs up.
 * Only for who uses the keyboard: on a touch screen a keyboard must not come up by itself.
 */
export class KeepingFocus implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement
  readonly #fallback: () => void
  #focused: Element | null = null

  constructor(host: ReactiveControllerHost & HTMLElement, fallback: () => void) {
    this.#host = host
    this.#fallback = fallback
  }

  hostConnected(): void {
    for (const name of KEYS) this.#host.addEventListener(name, this.#remember)
    this.#host.addEventListener('click', this.#check)
  }

  hostDisconnected(): void {
    for (const name of KEYS) this.#host.removeEventListener(name, this.#remember)
    this.#host.removeEventListener('click', this.#check)
  }

  hostUpdated(): void {
    this.#check()
  }

  readonly #remember = (event: Event): void => {
    const [target] = event.composedPath()
    this.#focused = target instanceof Element ? target : null
  }

  /** After the elements inside have rendered too. */
  readonly #check = (): void => {
    requestAnimationFrame(() => {
      if (!this.#focused || isShown(this.#focused)) return
      this.#focused = null
      const { activeElement } = document
      if (activeElement === null || activeElement === document.body) this.#fallback()
    })
  }
}
