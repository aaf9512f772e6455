import type { ReactiveController } from 'lit'

/** A focus that moves inside a shadow tree deeper in the host fires no focus event there; a key or a click does. */
const SIGNS = ['focusin', 'keydown', 'keyup', 'click'] as const

/** In the page, and not in a part of it that is hidden. */
const isShown = (element: Element): boolean => element.getClientRects().length > 0

/**
 * Gives the focus a place when the control that has it goes away or is hidden, in any depth of the host's shadow
 * trees: for example a button that hangs up. Leaves the focus alone where it has gone elsewhere before. Not for who
 * uses a touch screen: a keyboard must not come up by itself.
 */
export class KeepingFocus implements ReactiveController {
  readonly #host: HTMLElement
  readonly #fallback: (path: readonly Element[]) => void
  /** What has the focus, and around it all elements up to the host: once it is gone, nothing tells where it was. */
  #path: readonly Element[] = []
  #isByTouch = false
  /** An element that goes away or is hidden has no size any more, which is told when the page has its new layout. */
  #sizes: ResizeObserver | undefined

  /** `fallback` focuses something. `path`: what had the focus, and the elements around it, outwards. */
  constructor(host: HTMLElement, fallback: (path: readonly Element[]) => void) {
    this.#host = host
    this.#fallback = fallback
  }

  hostConnected(): void {
    this.#sizes = new ResizeObserver(this.#check)
    for (const name of SIGNS) this.#host.addEventListener(name, this.#look, true)
    this.#host.addEventListener('focusout', this.#left)
    this.#host.addEventListener('pointerdown', this.#pressed, true)
    this.#look()
  }

  hostDisconnected(): void {
    for (const name of SIGNS) this.#host.removeEventListener(name, this.#look, true)
    this.#host.removeEventListener('focusout', this.#left)
    this.#host.removeEventListener('pointerdown', this.#pressed, true)
    this.#sizes?.disconnect()
    this.#path = []
  }

  readonly #pressed = ({ pointerType }: PointerEvent): void => {
    this.#isByTouch = pointerType === 'touch'
  }

  readonly #look = (event?: Event): void => {
    if (event instanceof KeyboardEvent) this.#isByTouch = false
    const path = focusPath(this.#host)
    if (path[0] !== this.#path[0]) this.#watch(path)
  }

  /** An element that is removed loses the focus while it is still there: it is looked at afterwards. */
  readonly #left = (): void => queueMicrotask(() => !this.#isGone && this.#look())

  #watch(path: readonly Element[]): void {
    this.#sizes?.disconnect()
    this.#path = path
    if (path[0]) this.#sizes?.observe(path[0])
  }

  get #isGone(): boolean {
    const [focused] = this.#path
    return focused !== undefined && !isShown(focused)
  }

  readonly #check = (): void => {
    if (!this.#isGone) return
    const gone = this.#path
    const now = focusPath(this.#host)
    const isNowhere = document.activeElement === null || document.activeElement === document.body
    // What is hidden keeps the focus for a moment.
    const isLost = isNowhere || now[0] === gone[0]
    this.#watch(isLost ? [] : now)
    if (isLost && !this.#isByTouch) this.#fallback(gone)
  }
}

/** What has the focus in the host, and the elements around it, outwards; nothing where the focus is elsewhere. */
function focusPath(host: HTMLElement): readonly Element[] {
  const root = host.getRootNode()
  if (!(root instanceof Document || root instanceof ShadowRoot) || root.activeElement !== host) return []
  let focused: Element = host
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  const path: Element[] = []
  for (let node: Node | null = focused; node !== null && node !== host;)
    if (node instanceof ShadowRoot) node = node.host
    else {
      if (node instanceof Element) path.push(node)
      node = node.parentNode
    }
  return path
}
