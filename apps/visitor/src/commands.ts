import type { DuologWidgetElement, WidgetSettings } from './widget-api.ts'

/**
 * What a page asks of the widget by `DuologWidget(name, value)`, also before anything is loaded.
 */
export interface Commands {
  /** Opens the panel; the text stands in the field for the first message. */
  open(question?: string): void
  /** Closes the panel; the contact goes on. */
  close(): void
  /** Sets properties of the element, such as `{ lang: 'it', data: […] }`. */
  set(settings: WidgetSettings): void
  /** Takes the button and the panel out of sight, and back with `false`. */
  hide(isHidden?: boolean): void
}

export type Command = keyof Commands

/** The function that a page calls, and what it holds of earlier calls. */
export interface CommandQueue {
  (name: Command, value?: unknown): void
  q?: ArrayLike<unknown>[]
}

/** How the commands reach the widget: `load` where they need the panel. */
export interface CommandHost {
  readonly element: DuologWidgetElement
  readonly load: () => Promise<unknown>
  readonly isLoaded: () => boolean
}

/** Carries one command out; a name that is none does nothing. */
export function run({ element, load, isLoaded }: CommandHost, [name, value]: readonly unknown[]): void {
  if (name === 'open') {
    // An application that makes its page anew may have taken it away.
    if (!element.isConnected) document.body.append(element)
    void load().then(() => element.open(typeof value === 'string' ? value : ''))
  } else if (name === 'close' && isLoaded()) element.close()
  else if (name === 'hide') element.hidden = value !== false
  else if (name === 'set' && typeof value === 'object') Object.assign(element, value)
}
